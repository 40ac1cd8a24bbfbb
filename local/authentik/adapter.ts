import type { Adapter, AdapterPayload } from "oidc-provider";
import type { Session } from "./objects.ts";
import { endSession, newSession } from "./sessions.ts";
import type { Store } from "./store.ts";

/**
 * Where the OpenID library keeps what one application's instance makes (`scope` is `<application>:<model>`). Its sessions are
 * authentik's own: `subjectOf` tells under which subject the application knows a signed-in user.
 */
export function adapter(store: Store, scope: string, subjectOf: (user: number | null) => string | undefined): Adapter {
  return scope.endsWith(":Session") ? sessions(store, subjectOf) : artifacts(store, scope);
}

function artifacts(store: Store, scope: string): Adapter {
  const key = (id: string) => `${scope}:${id}`;
  const find = (id: string) => Promise.resolve(store.get("artifact", key(id))?.payload);
  return {
    find,
    findByUid: () => Promise.resolve(undefined),
    findByUserCode: () => Promise.resolve(undefined),
    upsert: async (id, payload, expiresIn) => {
      store.put("artifact", { pk: key(id), exp: Date.now() / 1000 + (expiresIn ?? 0), payload: payload });
      await store.saved();
    },
    consume: async (id) => {
      const artifact = store.get("artifact", key(id));
      if (artifact)
        store.put("artifact", {
          ...artifact,
          payload: { ...artifact.payload, consumed: Math.floor(Date.now() / 1000) },
        });
      await store.saved();
    },
    destroy: async (id) => {
      store.remove("artifact", key(id));
      await store.saved();
    },
    revokeByGrantId: async (grantId) => {
      for (const { pk, payload } of store.list("artifact")) {
        if (payload["grantId"] === grantId) store.remove("artifact", pk);
      }
      await store.saved();
    },
  };
}

function sessions(store: Store, subjectOf: (user: number | null) => string | undefined): Adapter {
  const payload = (session: Session | undefined): AdapterPayload | undefined =>
    session && {
      ...{ kind: "Session", jti: session.pk, uid: session.uid, exp: session.exp },
      authorizations: session.authorizations as AdapterPayload["authorizations"],
      ...(subjectOf(session.user) ? { accountId: subjectOf(session.user), loginTs: session.loginTs ?? 0 } : {}),
    };
  return {
    find: (id) => Promise.resolve(payload(store.get("session", id))),
    findByUid: (uid) => Promise.resolve(payload(store.find("session", { uid }))),
    findByUserCode: () => Promise.resolve(undefined),
    upsert: async (id, { uid, authorizations }) => {
      const session = store.get("session", id) ?? newSession(id, uid ? { uid } : {});
      store.put("session", { ...session, authorizations: authorizations ?? {} });
      await store.saved();
    },
    consume: () => Promise.resolve(),
    destroy: async (id) => {
      const session = store.get("session", id);
      if (session) endSession(store, session);
      await store.saved();
    },
    revokeByGrantId: () => Promise.resolve(),
  };
}
