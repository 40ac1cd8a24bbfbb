/** Deviations from the plan, as changes of the evidence. */
import { expect, test } from "vitest";
import { isForwarded } from "../../../../infra/plan/exposure.ts";
import { providerOf } from "../../../../infra/plan/outposts.ts";
import type { Evidence } from "../../../../ops/checks/diagnose/evidence.ts";
import { diagnosisOf, type HostDiagnosis } from "../../../../ops/checks/diagnose/diagnosis.ts";
import { brief, inside, type Open, the, trail, evidenceOf } from "./evidence.ts";

type Change = (evidence: Open<Evidence>) => void;

export const WIKI = "http://wiki.localhost";
export const AUTHENTIK = "http://authentik.localhost";
export const LOGIN = `${AUTHENTIK}/application/o/authorize/`;
export const MESH = "https://wiki.mesh.example.org";

/** Sets the response of a host without a session. */
export const answers =
  (url: string, ...[hops, rest]: Parameters<typeof trail>): Change =>
  ({ answers: all }) =>
    void all.set(url, { withoutSession: trail(hops, rest) as never, withSession: undefined });
/** Sets the response of a host with a session. */
export const signedIn =
  (url: string, ...[hops, rest]: Parameters<typeof trail>): Change =>
  ({ answers: all }) =>
    void Object.assign(all.get(url) ?? {}, { withSession: { username: "inge", trail: trail(hops, rest) } });

export const loop = signedIn(
  WIKI,
  [
    [302, `${WIKI}/`],
    [302, LOGIN],
  ],
  { end: "loop" },
);
export const noProvider = answers(WIKI, [[400, `${WIKI}/`]], { text: "outpost: no provider" });
export const noRoute = answers(WIKI, [[404, `${WIKI}/`]], { text: "gateway: no route" });
export const open = answers(WIKI, [[200, `${WIKI}/`]]);
export const failing = answers(WIKI, [[502, `${WIKI}/`]]);
export const noName: Change = ({ names }) => void names.set("wiki.mesh.example.org", { value: { code: "ENOTFOUND" } });

/** The exposure wiki.localhost. */
const WIKI_LOCALHOST = the(evidenceOf().plan.exposures.filter(isForwarded), ({ id }) => id === "wiki@localhost");
/** Names of its provider and of its outpost. */
export const PROVIDER = providerOf(WIKI_LOCALHOST);
export const OUTPOST = WIKI_LOCALHOST.outpost ?? "";
export const proxy = ({ identity }: Open<Evidence>) => the(inside(identity).proxies, ({ name }) => name === PROVIDER);
export const application = ({ identity }: Open<Evidence>) =>
  the(inside(identity).applications, ({ slug }) => slug === "wiki-localhost");
export const FORWARD_AUTH = `${OUTPOST}-forward-auth`;
export const outpost = ({ identity }: Open<Evidence>) => the(inside(identity).outposts, ({ name }) => name === OUTPOST);
/** Returns the object of the cluster with this label. */
export const object = ({ cluster }: Open<Evidence>, label: string) =>
  the(inside(cluster.objects).manifests, (one) => one.label === label);
export const remove =
  (label: string): Change =>
  (evidence) =>
    without(inside(evidence.cluster.objects).manifests, object(evidence, label));
interface Rule {
  match: string;
  middlewares: { name: string }[];
}
export const ROUTE = "IngressRoute default/wiki";
export const rules = (evidence: Open<Evidence>) => object(evidence, ROUTE).spec["routes"] as Rule[];
export const forwardAuth = (evidence: Open<Evidence>) =>
  object(evidence, `Middleware default/${FORWARD_AUTH}`).spec["forwardAuth"] as Record<string, unknown>;
export const engine = (evidence: Open<Evidence>) => inside(evidence.engine);

export function without<T>(list: T[], one: T): void {
  list.splice(list.indexOf(one), 1);
}

export function diagnosed(url: string, changes: readonly Change[]): HostDiagnosis {
  const evidence = evidenceOf((all) => changes.forEach((change) => change(all)));
  const { hosts } = diagnosisOf(evidence, new URL(url).hostname, url);
  return the(hosts, (host) => host.url === url);
}

export interface Case {
  readonly name: string;
  readonly changes: readonly Change[];
  readonly expected: readonly string[];
  /** The message of the cause. */
  readonly message: string;
  readonly url?: string;
}

/** Registers a test for each. */
export function testEach(cases: readonly Case[]): void {
  test.each(cases)("$name", ({ changes, expected, message, url = WIKI }) => {
    const found = diagnosed(url, changes);
    expect(brief(found)).toEqual(expected);
    expect(found.cause?.message).toEqual(message);
    expect(found.cause?.evidence.length).toBeGreaterThan(0);
    expect(found.cause?.hint).not.toBe("");
  });
}
