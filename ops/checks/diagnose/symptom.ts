import type { Exposure, Plan } from "../../../infra/plan/types.ts";
import type { Answers, Evidence, NameAnswer, Trail } from "./evidence.ts";
import type { Observation } from "../observation.ts";
import { OUTPOST_PATH } from "../../../protections/forwardAuth.ts";
import { protectionOf } from "../../../protections/table.ts";
import { isLoopbackName } from "../../../infra/loopback.ts";

/** Those of docs/diagnose.md (Symptoms and causes), other results of a sign-in, and what only the records show. */
export type SymptomKind = "loop" | "sign-in" | "unprotected" | "not-working" | "unavailable" | "access" | "none";

export interface Symptom {
  readonly kind: SymptomKind;
  readonly observed: string;
}

export const TITLES: Readonly<Record<SymptomKind, string>> = {
  loop: "authentication loop",
  "sign-in": "sign-in does not reach the service",
  unprotected: "service not protected",
  "not-working": "domain not working",
  unavailable: "service unavailable",
  access: "access denied to an allowed user",
  none: "no symptom",
};

/** Returns the symptom of an exposure; `none` if its responses match its protection. */
export function symptomOf(exposure: Exposure, { plan, answers, names }: Evidence): Symptom {
  const found = answers.get(exposure.url);
  if (found === undefined) return { kind: "none", observed: "not requested" };
  return (
    nameSymptom(exposure.host, names.get(exposure.host)) ??
    responseSymptom(found.withoutSession) ??
    protectionSymptom(exposure, plan, found) ??
    sessionSymptom(exposure, found.withSession) ?? { kind: "none", observed: describeTrail(found.withoutSession) }
  );
}

/** Of the host of an existing identity provider that is not an exposure. */
export const NOT_ROUTED = "it is the host of identity_provider.url, which Gatehouse does not route";

/** Returns the address of the existing identity provider, if it is on an unplanned host. */
export function providerAt(host: string, { identityProviderUrl: url }: Pick<Plan, "identityProviderUrl">) {
  return url !== undefined && new URL(url).hostname === host ? url : undefined;
}

/** Returns the symptom of an unplanned host: a response of an application, none at all, or no symptom for a redirect to the login. */
export function unplannedSymptom(
  host: string,
  { withoutSession }: Answers,
  { plan, names }: Pick<Evidence, "plan" | "names">,
): Symptom {
  const notWorking = nameSymptom(host, names.get(host)) ?? responseSymptom(withoutSession);
  if (notWorking) return notWorking;
  const observed = describeTrail(withoutSession);
  if (providerAt(host, plan) !== undefined) {
    const isLoginPage = isAtLogin(plan, withoutSession, "/if/flow/");
    return isLoginPage ? { kind: "none", observed: `${observed}; ${NOT_ROUTED}` } : { kind: "not-working", observed };
  }
  if (isAtLogin(plan, withoutSession)) return { kind: "none", observed };
  const status = withoutSession.hops[0]?.status ?? 0;
  if (status < 400) return { kind: "unprotected", observed: `${observed}, without a session` };
  return { kind: "not-working", observed };
}

function nameSymptom(host: string, name: Observation<NameAnswer> | undefined): Symptom | undefined {
  if (name === undefined || isLoopbackName(host) || !("value" in name) || !("code" in name.value)) return undefined;
  return { kind: "not-working", observed: `no address for ${host} (${name.value.code})` };
}

function responseSymptom(trail: Trail): Symptom | undefined {
  const [first] = trail.hops;
  if (first === undefined) return { kind: "not-working", observed: `no answer (${errorOf(trail)})` };
  if (trail.hops.length === 1 && trail.text === "gateway: no route") {
    return { kind: "not-working", observed: "404 from the gateway: it has no route for this host" };
  }
  return first.status >= 500 ? { kind: "unavailable", observed: describeTrail(trail) } : undefined;
}

function protectionSymptom(exposure: Exposure, plan: Plan, { withoutSession: trail }: Answers): Symptom | undefined {
  const { entry, protection, role } = exposure;
  const [first] = trail.hops;
  const status = first?.status ?? 0;
  const unprotected: Symptom = { kind: "unprotected", observed: `${describeTrail(trail)}, without a session` };
  const { page } = protectionOf(protection).expectation(exposure);
  if (page.kind === "login") {
    if (trail.end === "loop" || trail.end === "too many redirects")
      return { kind: "loop", observed: describeTrail(trail) };
    return isServed(exposure, trail) ? unprotected : signInSymptom(plan, trail);
  }
  if (page.kind === "application" && status < 300) return unprotected;
  if (page.kind === "status" && entry !== undefined && status !== page.status) {
    // A proxy before Traefik, or a rate limit, refuses the request before the service does.
    return [403, 429].includes(status) ? { kind: "unavailable", observed: describeTrail(trail) } : unprotected;
  }
  if (role === "identity-provider" && status !== 200) return { kind: "unavailable", observed: describeTrail(trail) };
  return trail.end === "loop" ? { kind: "loop", observed: describeTrail(trail) } : undefined;
}

/** Returns whether the redirects of a request end at a page of the application, such as its dashboard, and not at one of the outpost. */
function isServed({ url }: Exposure, { hops }: Trail): boolean {
  const last = hops.at(-1);
  if (last === undefined || last.status >= 300) return false;
  return last.url.startsWith(`${url}/`) && !last.url.startsWith(`${url}${OUTPOST_PATH}/`);
}

/** Returns the symptom if the redirects of a request without a session do not end at the identity provider's login page. */
function signInSymptom(plan: Plan, trail: Trail): Symptom | undefined {
  const [first, second] = trail.hops;
  if (first === undefined || first.status >= 400) return { kind: "sign-in", observed: describeTrail(trail) };
  if (!second) return { kind: "sign-in", observed: `${describeTrail(trail)} (${errorOf(trail)})` };
  return isAtLogin(plan, trail) ? undefined : { kind: "sign-in", observed: describeTrail(trail) };
}

function isAtLogin({ identityProviderUrl }: Plan, { hops }: Trail, path = "/"): boolean {
  const last = hops.at(-1);
  return last?.status === 200 && last.url.startsWith(`${identityProviderUrl}${path}`);
}

function sessionSymptom(exposure: Exposure, session: Answers["withSession"]): Symptom | undefined {
  if (session === undefined) return undefined;
  const { username, trail } = session;
  const observed = `signed in as ${username}: ${describeTrail(trail)}`;
  if (trail.end === "loop" || trail.end === "too many redirects") return { kind: "loop", observed };
  if (trail.text === "denied") return { kind: "access", observed };
  const last = trail.hops.at(-1);
  if (trail.end !== "answered" || !last?.url.startsWith(`${exposure.url}/`)) return { kind: "sign-in", observed };
  if (trail.text === "outpost: no provider") return { kind: "sign-in", observed };
  return last.status >= 500 ? { kind: "unavailable", observed } : undefined;
}

/** Returns the responses of a request and its redirects in one line: `302 app.localhost/ → 200 authentik.localhost/`. */
function describeTrail(trail: Trail): string {
  const hops = trail.hops.map(
    ({ url, status }) => `${status} ${URL.parse(url)?.host ?? url}${URL.parse(url)?.pathname ?? ""}`,
  );
  const shown = hops.length > 5 ? [...hops.slice(0, 4), `… ${hops.length - 5} more …`, ...hops.slice(-1)] : hops;
  const text = trail.text === "other" ? "" : ` [${trail.text}]`;
  if (trail.end === "answered") return `${shown.join(" → ")}${text}`;
  const end = typeof trail.end === "string" ? (trail.end === "loop" ? "redirect loop" : trail.end) : trail.end.error;
  return [...shown, end].join(" → ") + text;
}

function errorOf({ end }: Trail): string {
  return typeof end === "string" ? end : end.error;
}
