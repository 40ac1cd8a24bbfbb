import fc from "fast-check";
import { parseStack } from "../../../config/load.ts";
import type { Settings } from "../../../config/settings.ts";
import { basic, oauth2, proxy, sections, shell, stack } from "../../config/stacks.ts";

/** Domain kinds of generated stacks, each with whether it is enabled. */
export type Kinds = Readonly<Record<string, boolean>>;

const KINDS = ["localhost", "mesh", "external", "partner"];

/** Any choice of enabled kinds. */
export const kinds: fc.Arbitrary<Kinds> = fc.record(Object.fromEntries(KINDS.map((kind) => [kind, fc.boolean()])));

const named = fc.uniqueArray(
  fc.constantFrom("wiki", "grafana", "mail", "a", "legacy", "very-long-".repeat(5) + "name"),
  {
    maxLength: 6,
  },
);
const access = fc.record({
  domains: fc.oneof(fc.constant("auto"), fc.uniqueArray(fc.constantFrom(...KINDS))),
  public_paths: fc.uniqueArray(fc.constantFrom("/health", "/assets/", "/a/b")),
  service: fc.record({ namespace: fc.constantFrom("default", "apps", "authentik") }),
});
const groups = fc.uniqueArray(fc.constantFrom("staff", "admins", "auditors"));

/** Any list of right entries of `protected_services`, of all types. */
export const services: fc.Arbitrary<Record<string, unknown>[]> = named.chain((names) =>
  fc.tuple(
    ...names.map((name) => {
      const one = (make: typeof proxy, own: object) =>
        fc
          .tuple(access, groups)
          .map(([common, list]) =>
            make({ name, ...own, ...common, ...("application_slug" in own ? { groups: list } : {}) }),
          );
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
export function settingsOf(enabled: Kinds, list: readonly Record<string, unknown>[]): Settings {
  const domains = Object.fromEntries(
    Object.entries(enabled).map(([kind, on]) => [
      kind,
      {
        enabled: on,
        base_domain: kind === "localhost" ? "localhost" : `${kind}.example.org`,
        protocol: kind === "localhost" ? "http" : "https",
        description: kind,
      },
    ]),
  );
  return parseStack(stack({ ...sections, domains, protected_services: list }), shell);
}
