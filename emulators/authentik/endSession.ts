import type { Context } from "hono";
import type { Claims } from "./claims.ts";
import { planOf } from "./flowPlan.ts";
import { allows } from "./openidProvider.ts";
import type { Client } from "./openidProvider.ts";
import { messagePage } from "./pages.ts";
import { isSuperuser } from "./users.ts";
import { currentSession, signedIn } from "./sessions.ts";
import type { Store } from "./store.ts";

/**
 * Sends the browser into the provider's invalidation flow, which signs the user out once the browser has run it; this request alone
 * changes nothing (docs/authentik.md, What a sign-out ends). The id token is not read.
 */
export function endSession(
  store: Store,
  claims: Claims,
  c: Context,
  client: Client | undefined,
): Response | Promise<Response> {
  const session = currentSession(store, c);
  if (session?.flow) return c.html("<html><body>Logout successful</body></html>");
  const flow = client && store.get("flow", client.provider.invalidation_flow);
  if (!client || !flow) return c.notFound();
  const { pathname, search } = new URL(c.req.url);
  const user = signedIn(store, c);
  if (!session || !user) {
    const next = new URLSearchParams({ ...c.req.query(), next: pathname + search });
    return c.redirect(`/if/flow/default-authentication-flow/?${next.toString()}`, 302);
  }
  if (!claims.mayAccess(client.application, user)) {
    return c.html(messagePage("Permission denied", "Request has been denied."));
  }
  const plan = planOf(flow);
  const postLogoutRedirect = returnAddress(client, c.req.query());
  const ended = { stages: [...plan.stages, "session-end" as const], application: client.application.pk };
  store.put("session", {
    ...session,
    flow: { ...plan, ...ended, ...(postLogoutRedirect ? { postLogoutRedirect } : {}) },
  });
  const query = new URLSearchParams(search);
  if (isSuperuser(store, user)) query.set("inspector", "available");
  return c.redirect(`/if/flow/${flow.slug}/${query.size > 0 ? `?${query.toString()}` : ""}`, 302);
}

/** Returns the registered address that the browser is redirected to at the end; undefined for any other. */
function returnAddress({ provider }: Client, query: Record<string, string>): string | undefined {
  const { post_logout_redirect_uri: to, state } = query;
  if (!to || !allows(provider, to, "logout")) return undefined;
  return state ? `${to}${to.includes("?") ? "&" : "?"}state=${encodeURIComponent(state)}` : to;
}
