import type { Adapter, AdapterPayload } from "oidc-provider";
import type { Session } from "./objects.ts";
import { endSession, newSession } from "./sessions.ts";
import type { Store } from "./store.ts";

/**
 * Stores the objects of the OpenID library for one provider (`scope` is `<provider>:<model>`). Its sessions are those of authentik;
 * `subjectOf` returns the `sub` of a signed-in user.
 */
export function adapter(store: Store, scope: string, subjectOf: (user: number | null) => string | undefined): Adapter {
  return scope.endsWith(":Session") ? sessions(store, subjectOf) : artifacts(store, scope);
}

const nothing = () => Promise.resolve(undefined);

function artifacts(store: Store, scope: string): Adapter {
  const key = (id: string) => `${scope}:${id}`;
  return {
    find: (id) => Promise.resolve(store.get("artifact", key(id))?.payload),
    findByUid: nothing,
    findByUserCode: nothing,
    upsert: (id, payload, expiresIn = 0) => {
      store.put("artifact", { pk: key(id), exp: Date.now() / 1000 + expiresIn, payload: payload });
      return store.saved();
    },
    consume: (id) => {
      const artifact = store.get("artifact", key(id));
      const consumed = Math.floor(Date.now() / 1000);
      if (artifact) store.put("artifact", { ...artifact, payload: { ...artifact.payload, consumed } });
      return store.saved();
    },
    destroy: (id) => {
      store.remove("artifact", key(id));
      return store.saved();
    },
    revokeByGrantId: (grantId) => {
      for (const { pk, payload } of store.list("artifact")) {
        if (payload["grantId"] === grantId) store.remove("artifact", pk);
      }
      return store.saved();
    },
  };
}

function sessions(store: Store, subjectOf: (user: number | null) => string | undefined): Adapter {
  const payload = (session: Session | undefined): AdapterPayload | undefined =>
    session && {
      kind: "Session",
      jti: session.pk,
      uid: session.uid,
      exp: session.exp,
      transient: !session.lasting,
      authorizations: session.authorizations as AdapterPayload["authorizations"],
      ...(subjectOf(session.user)
        ? {
            accountId: subjectOf(session.user),
            loginTs: session.loginTs ?? 0,
          }
        : {}),
    };
  return {
    find: (id) => Promise.resolve(payload(store.get("session", id))),
    findByUid: (uid) => Promise.resolve(payload(store.find("session", { uid }))),
    findByUserCode: nothing,
    upsert: (id, { uid, authorizations = {} }) => {
      const session = store.get("session", id) ?? newSession(id, uid ? { uid } : {});
      store.put("session", { ...session, authorizations });
      return store.saved();
    },
    consume: nothing,
    destroy: (id) => {
      const session = store.get("session", id);
      if (session) endSession(store, session);
      return store.saved();
    },
    revokeByGrantId: nothing,
  };
}
