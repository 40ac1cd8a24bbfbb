import fc from "fast-check";
import { parseStack } from "../../../config/load.ts";
import type { Settings } from "../../../config/settings.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { basic, oauth2, proxy, sections, shell, stack } from "../../config/stacks.ts";
import { samples } from "../../helpers/full.ts";

/** Domain kinds of generated stacks, each with whether it is enabled. */
export type Kinds = Readonly<Record<string, boolean>>;
/** What a stack configures besides domains and services. */
export interface Variant {
  /** By domain kind; the others end TLS with Traefik's default certificate. */
  readonly tls?: Readonly<Record<string, unknown>>;
  readonly port?: number | undefined;
  readonly identityProvider?: Readonly<Record<string, unknown>>;
  readonly testEnvironments?: boolean;
}

export const BOTH: Kinds = { localhost: true, mesh: true };
const KINDS = ["localhost", "mesh", "external", "partner"];

/** Any choice of enabled kinds, at least one. */
export const kinds: fc.Arbitrary<Kinds> = fc
  .record(Object.fromEntries(KINDS.map((kind) => [kind, fc.boolean()])))
  .filter((enabled) => Object.values(enabled).some(Boolean));
/** Any one kind. */
export const kind = fc.constantFrom(...KINDS);

const tls = fc.constantFrom<unknown>(undefined, "upstream", { resolver: "letsencrypt" }, { secret: "wildcard" });
/** An identity provider without a Service in the cluster. */
export const EXISTING = { install: false, url: "https://sso.example.org", token: "${TOKEN}" };

/** Any TLS, any identity provider and any capacity of its outposts. */
export const variants: fc.Arbitrary<Variant> = fc.record({
  tls: fc.record({ mesh: tls, external: tls, partner: tls }),
  port: fc.constantFrom(undefined, 8443),
  identityProvider: fc.oneof(
    fc.constantFrom(1, 2, 5, 100).map((size) => ({ ...sections.identity_provider, providers_per_outpost: size })),
    fc.constantFrom({ ...EXISTING, namespace: "sso", service: { name: "authentik", port: 80 } }, EXISTING),
  ),
  testEnvironments: fc.boolean(),
});

const named = fc.uniqueArray(
  fc.constantFrom("wiki", "grafana", "mail", "a", "legacy", "very-long-".repeat(5) + "name"),
  { maxLength: 6 },
);
const access = fc.record({
  domains: fc.oneof(fc.constant("auto"), fc.uniqueArray(kind)),
  public_paths: fc.uniqueArray(fc.constantFrom("/health", "/assets/", "/a/b", "/outpost", "/outpost.goauthentik.ios")),
  service: fc.record({ namespace: fc.constantFrom("default", "apps", "sso") }),
});
/** What decides about the outpost of an application. */
const sharing = fc.record({
  groups: fc.uniqueArray(fc.constantFrom("staff", "admins", "Drift | øst")),
  session: fc.constantFrom("hours=12", "minutes=30"),
});

/** Any list of valid entries of `protected_services`, of all types. */
export const services: fc.Arbitrary<Record<string, unknown>[]> = named.chain((names) =>
  fc.tuple(
    ...names.map((name) => {
      const one = (make: typeof proxy, own: object) =>
        fc
          .tuple(access, sharing)
          .map(([common, shared]) => make({ name, ...own, ...common, ...("application_slug" in own ? shared : {}) }));
      return fc.oneof(
        one(proxy, { application_slug: name }),
        one(oauth2, { application_slug: name, enforce: "application" }),
        one(oauth2, { application_slug: name, enforce: "gateway" }),
        one(basic, {}),
      );
    }),
  ),
);

/** The settings of a stack with these kinds and services. */
export function settingsOf(enabled: Kinds, list: readonly Record<string, unknown>[], variant: Variant = {}): Settings {
  const domains = Object.fromEntries(
    Object.entries(enabled).map(([kind, on]) => [
      kind,
      {
        enabled: on,
        base_domain: kind === "localhost" ? "localhost" : `${kind}.example.org`,
        protocol: kind === "localhost" ? "http" : "https",
        description: kind,
        port: kind === "partner" ? variant.port : undefined,
        tls: variant.tls?.[kind],
      },
    ]),
  );
  return parseStack(
    stack({
      domains,
      protected_services: list,
      identity_provider: variant.identityProvider ?? sections.identity_provider,
      test_environments: { enabled: variant.testEnvironments ?? true },
    }),
    shell,
  );
}

/** The plan of a stack with these kinds and services. */
export function planOf(enabled: Kinds, ...list: Record<string, unknown>[]): Plan {
  return computePlan(settingsOf(enabled, list));
}

/** Whole stacks are costly, and what is asked of them is asked in many tests. */
export const RUNS = samples(100);

/** Runs assertions for every stack. */
export function always(check: (plan: Plan, settings: Settings) => void): void {
  fc.assert(
    fc.property(kinds, services, variants, (enabled, list, variant) => {
      const settings = settingsOf(enabled, list, variant);
      check(computePlan(settings), settings);
    }),
    RUNS,
  );
}

/** For comparing what has no order. */
export function sorted(items: readonly unknown[]): string[] {
  return items.map((item) => JSON.stringify(item)).sort();
}
