import { Hono } from "hono";
import type { Context } from "hono";
import { log } from "./log.ts";
import { seconds } from "./duration.ts";
import type { Fields, Flow, Session, User } from "./objects.ts";
import { passwordMatches } from "./people.ts";
import { currentSession, signOut, startSession } from "./sessions.ts";
import type { Store } from "./store.ts";

const attempts = 5;
const identification = "ak-stage-identification";
const password = "ak-stage-password";

/** The flow executor: `GET` tells the next challenge, `POST` answers it. State lives in the session. */
export function flowExecutor(store: Store): Hono {
  const executor = new Hono();
  const flowOf = (c: Context) => store.find("flow", { slug: c.req.param("slug") ?? "" });
  executor.get("/:slug/", (c) => {
    const flow = flowOf(c);
    return flow ? c.json(nextChallenge(store, c, flow)) : c.json({ detail: "No Flow matches the given query." }, 404);
  });
  executor.post("/:slug/", async (c) => {
    const flow = flowOf(c);
    if (!flow) return c.json({ detail: "No Flow matches the given query." }, 404);
    const session = currentSession(store, c);
    if (session?.user && c.req.header("x-authentik-csrf") !== session.csrf) {
      return c.json({ detail: "CSRF Failed: CSRF token missing or incorrect." }, 403);
    }
    const refusal = answer(store, c, flow, await c.req.json<Fields>());
    const { pathname, search } = new URL(c.req.url);
    return refusal ? c.json(refusal) : c.redirect(pathname + search, 302);
  });
  return executor;
}

function nextChallenge(store: Store, c: Context, flow: Flow): Fields {
  const next = new URLSearchParams(c.req.query("query") ?? "").get("next") ?? "/";
  if (!isRelative(next)) return denied(flow, "Invalid next URL");
  if (flow.designation === "invalidation") signOut(store, c);
  if (flow.designation !== "authentication") return challenge(flow, "xak-flow-redirect", { to: next });
  const session = currentSession(store, c) ?? startSession(store, c, {});
  if (session.flow?.slug !== flow.slug) {
    store.put("session", { ...session, flow: { slug: flow.slug, failures: 0 } });
    return identify(flow);
  }
  if (session.flow.done) {
    store.put("session", { ...session, flow: null });
    return challenge(flow, "xak-flow-redirect", { to: next });
  }
  return session.flow.username === undefined ? identify(flow) : askPassword(flow, session.flow.username);
}

/** Takes the answer to the current challenge; gives what is wrong with it, nothing when the stage is passed. */
function answer(store: Store, c: Context, flow: Flow, body: Fields): Fields | undefined {
  const session = currentSession(store, c);
  const state = session?.flow;
  if (!session || state?.slug !== flow.slug || state.done) return nextChallenge(store, c, flow);
  if (state.username === undefined) {
    const username = body["uid_field"];
    if (typeof username !== "string" || username === "") {
      return identify(flow, wrong("uid_field", "This field is required.", "required"));
    }
    store.put("session", { ...session, flow: { ...state, username } });
    return undefined;
  }
  const user = userWith(store, state.username, body["password"]);
  return user ? logIn(store, c, flow, user) : fail(store, flow, session, state.username, state.failures + 1);
}

function userWith(store: Store, name: string, given: unknown): User | undefined {
  const user = store.list("user").find(({ username, email }) => username === name || (email !== "" && email === name));
  return typeof given === "string" && passwordMatches(user, given) ? user : undefined;
}

function logIn(store: Store, c: Context, flow: Flow, user: User): undefined {
  const now = new Date();
  store.put("user", { ...user, last_login: now.toISOString() });
  const { session_duration = "seconds=0" } = store.find("stage", { name: "default-authentication-login" }) ?? {};
  const loginTs = Math.floor(now.getTime() / 1000);
  const signedIn = { user: user.pk, loginTs, flow: { slug: flow.slug, failures: 0, done: true } };
  startSession(store, c, signedIn, seconds(session_duration));
  log("info", "login", { username: user.username });
}

/** An unknown name gets this far too, and fails like a wrong password. */
function fail(store: Store, flow: Flow, session: Session, username: string, failures: number): Fields {
  log("info", "login failed", { failures });
  const over = failures >= attempts;
  store.put("session", { ...session, flow: over ? null : { slug: flow.slug, username, failures } });
  if (over) return denied(flow, "Failed to authenticate.");
  return askPassword(flow, username, wrong("password", "Invalid password", "invalid"));
}

const wrong = (field: string, string: string, code: string): Fields => ({ [field]: [{ string, code }] });

function challenge(flow: Flow, component: string, fields: Fields): Fields {
  const flow_info = { title: flow.title, background: "", cancel_url: "/flows/-/cancel/", layout: "stacked" };
  return { flow_info, component, ...fields };
}

function identify(flow: Flow, response_errors: Fields = {}): Fields {
  return challenge(flow, identification, {
    ...{ user_fields: ["email", "username"], password_fields: false, primary_action: "Log in", sources: [] },
    ...{ flow_designation: flow.designation, show_source_labels: false, response_errors },
  });
}

function askPassword(flow: Flow, pending_user: string, response_errors: Fields = {}): Fields {
  const pending = { pending_user, pending_user_avatar: "/static/user.svg" };
  return challenge(flow, password, { ...pending, allow_show_password: false, response_errors });
}

function denied(flow: Flow, error_message: string): Fields {
  return challenge(flow, "ak-stage-access-denied", { pending_user: "", pending_user_avatar: "", error_message });
}

/** `next` may name a page of ours, never another host. */
function isRelative(next: string): boolean {
  return next.startsWith("/") && URL.parse(next, "http://here.invalid")?.host === "here.invalid";
}
