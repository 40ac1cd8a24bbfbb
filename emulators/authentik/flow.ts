import { Hono } from "hono";
import type { Context } from "hono";
import { challenge, identify, askPassword, denied, flowError, wrong } from "./challenges.ts";
import { seconds } from "./duration.ts";
import { planOf } from "./flowPlan.ts";
import { log } from "./log.ts";
import type { Fields, Flow, FlowPlan, Session, User } from "./objects.ts";
import { passwordMatches, uidOf } from "./users.ts";
import type { Runtime } from "./resources.ts";
import { currentSession, deleteCookies, endSession, rememberDevice, signedIn, startSession } from "./sessions.ts";

const ATTEMPTS = 5;

/** The flow executor: `GET` gives the next challenge, `POST` answers it. The plan is kept in the session. */
export function flowExecutor(runtime: Runtime): Hono {
  const executor = new Hono();
  const run = (c: Context) => {
    const flow = runtime.store.find("flow", { slug: c.req.param("slug") ?? "" });
    return flow && new FlowRun(runtime, c, flow);
  };
  executor.get("/:slug/", (c) => run(c)?.next() ?? c.notFound());
  executor.post("/:slug/", async (c) => {
    const session = currentSession(runtime.store, c);
    if (session?.user && c.req.header("x-authentik-csrf") !== session.csrf) {
      return c.json({ detail: "CSRF Failed: CSRF token missing or incorrect." }, 403);
    }
    return run(c)?.answer(await c.req.json<Fields>()) ?? c.notFound();
  });
  return executor;
}

/** One request to the executor of a flow. */
class FlowRun {
  readonly #runtime: Runtime;
  readonly #c: Context;
  readonly #flow: Flow;
  #session: Session;

  constructor(runtime: Runtime, c: Context, flow: Flow) {
    this.#runtime = runtime;
    this.#c = c;
    this.#flow = flow;
    this.#session = currentSession(runtime.store, c) ?? startSession(runtime.store, c, {});
    // A plan of another flow is dropped.
    if (this.#session.flow?.slug !== flow.slug) this.#keep(planOf(flow));
  }

  next(): Response {
    const [stage] = this.#plan.stages;
    if (stage === "identification") return this.#c.json(identify(this.#flow));
    if (stage === "password") return this.#c.json(askPassword(this.#flow, this.#plan.username ?? ""));
    if (stage === "user-login") return this.#logIn();
    if (stage === "user-logout") return this.#logOut();
    if (stage === "session-end") return this.#c.json(this.#sessionEnd());
    // No user has a device for a second factor.
    return stage === "mfa-validation" ? this.#passed() : this.#done();
  }

  answer(body: Fields): Response {
    const [stage] = this.#plan.stages;
    if (stage === "identification") {
      const username = body["uid_field"];
      if (typeof username === "string" && username.trim() !== "") return this.#passed({ username: username.trim() });
      return this.#c.json(identify(this.#flow, wrong("uid_field", "This field is required.", "required")));
    }
    if (stage !== "password") return this.next();
    const user = this.#userWith(this.#plan.username ?? "", body["password"]);
    return user ? this.#passed({ user: user.pk }) : this.#failed();
  }

  get #plan(): FlowPlan {
    return this.#session.flow ?? planOf(this.#flow);
  }

  #keep(flow: FlowPlan | null): void {
    this.#session = this.#runtime.store.put("session", { ...this.#session, flow });
  }

  /** Redirects the browser to the next stage. */
  #passed(found: Partial<FlowPlan> = {}): Response {
    const plan = { ...this.#plan, ...found, stages: this.#plan.stages.slice(1) };
    this.#keep(plan);
    if (plan.stages.length === 0) return this.#done();
    const { pathname, search } = new URL(this.#c.req.url);
    return this.#c.redirect(pathname + search, 302);
  }

  #done(): Response {
    this.#keep(null);
    const next = new URLSearchParams(this.#c.req.query("query") ?? "").get("next") || "/";
    if (hasHost(next)) return this.#c.json(denied(this.#flow, "Invalid next URL"));
    if (!/^(\/|(https?|ftp):)/i.test(next)) return this.#c.json(flowError(this.#flow));
    return this.#c.json(challenge(this.#flow, "xak-flow-redirect", { to: next.replaceAll("\\", "%5C") }));
  }

  /** Names and addresses are compared without case (`IdentificationStageView.get_user`); the first user counts. */
  #userWith(name: string, given: unknown): User | undefined {
    const users = this.#runtime.store.list("user").sort((a, b) => a.pk - b.pk);
    const isSame = (text: string) => text !== "" && text.toLowerCase() === name.toLowerCase();
    const user = users.find(({ username, email }) => isSame(username) || isSame(email));
    return typeof given === "string" && passwordMatches(user, given) ? user : undefined;
  }

  #logIn(): Response {
    const { store, secretKey } = this.#runtime;
    const user = store.get("user", this.#plan.user);
    if (!user) return this.#failed();
    const now = new Date();
    store.put("user", { ...user, last_login: now.toISOString() });
    const { session_duration = "seconds=0" } = store.find("stage", { name: "default-authentication-login" }) ?? {};
    const fields = { user: user.pk, loginTs: Math.floor(now.getTime() / 1000), flow: this.#plan };
    this.#session = startSession(store, this.#c, fields, seconds(session_duration));
    rememberDevice(this.#c, uidOf(user, secretKey), secretKey);
    log("info", "login", { username: user.username });
    return this.#passed();
  }

  #logOut(): Response {
    const plan = this.#plan;
    endSession(this.#runtime.store, this.#session);
    if (plan.stages.length > 1) {
      this.#session = startSession(this.#runtime.store, this.#c, { flow: plan });
      return this.#passed();
    }
    this.#session = { ...this.#session, user: null };
    deleteCookies(this.#c);
    const answer = this.#done();
    endSession(this.#runtime.store, this.#session);
    return answer;
  }

  /** The stage after a sign-out from an application. The plan stays in the session, as in authentik. */
  #sessionEnd(): Fields {
    const { postLogoutRedirect, application: pk } = this.#plan;
    const to = postLogoutRedirect ?? (signedIn(this.#runtime.store, this.#c) ? undefined : "/");
    if (to !== undefined) return challenge(this.#flow, "xak-flow-redirect", { to });
    const application = this.#runtime.store.get("application", pk);
    const provider = this.#runtime.store.get("provider", application?.provider);
    return challenge(this.#flow, "ak-stage-session-end", {
      brand_name: "authentik",
      application_name: application?.name,
      application_launch_url: provider?.external_host ?? "",
      invalidation_flow_url: "/if/flow/default-invalidation-flow/",
    });
  }

  /** An unknown user fails here too, like a wrong password. */
  #failed(): Response {
    const failures = this.#plan.failures + 1;
    log("info", "login failed", { failures });
    if (failures >= ATTEMPTS) {
      this.#keep(null);
      return this.#c.json(denied(this.#flow, "Failed to authenticate."));
    }
    this.#keep({ ...this.#plan, failures });
    const errors = wrong("password", "Invalid password", "invalid");
    return this.#c.json(askPassword(this.#flow, this.#plan.username ?? "", errors));
  }
}

/** As Python's `urlparse` finds a host, by which authentik decides (flows/views/executor.py, `is_url_absolute`; measured on 2026.5). */
function hasHost(next: string): boolean {
  const stripped = next.replace(/^[\0- ]+/, "").replaceAll(/[\t\r\n]/g, "");
  return /^([a-z][a-z\d+.-]*:)?\/\/[^/?#]/i.test(stripped);
}
