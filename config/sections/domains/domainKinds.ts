/** The domain kinds on which something is exposed. */
import type { Draft } from "../../schema/draft.ts";
import { formatLocation, within } from "../../errors/location.ts";
import { type Problem, problem, suggestion } from "../../errors/problems.ts";
import { type Domain, KNOWN_KINDS } from "./domains.ts";

/** An entry that names kinds: a protected service, or the data API. */
type Exposed = Draft<{ readonly domains: "auto" | readonly string[] }>;

/** Returns the enabled ones of the named kinds, in the order of the settings; `auto` = every enabled kind. */
export function enabledKinds(named: "auto" | readonly string[], domains: readonly Domain[]): string[] {
  return domains
    .filter(({ kind, enabled }) => enabled && (named === "auto" || named.includes(kind)))
    .map(({ kind }) => kind);
}

/** Domain kinds that only some clients can reach, in ascending order of reach. */
const INTERNAL_KINDS = ["localhost", "mesh"];

/** Returns the kind that most clients can reach. @param kinds in the order of the settings */
export function mostReachable(kinds: readonly string[]): string | undefined {
  return kinds.find((kind) => !INTERNAL_KINDS.includes(kind)) ?? kinds.at(-1);
}

/**
 * Returns a name for the kind of a new base domain that is not taken: localhost, mesh for a tailnet, else one from the domain.
 * @param usual name for other domains than these; default: one from the domain
 */
export function newKindName(
  domain: string,
  taken: { has(name: string): boolean; size: number },
  usual?: string,
): string {
  const known = domain === "localhost" ? domain : domain.endsWith(".ts.net") ? "mesh" : usual;
  const label = domain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 16)
    .replace(/^-+|-+$/g, "");
  const names = [known ?? label, label, ...Array.from({ length: taken.size }, (_, i) => `${label}-${i + 2}`)];
  return names.find((name) => !taken.has(name)) ?? label;
}

/** Checks that every named kind exists. */
export function kindRules(settings: readonly Domain[], exposed: readonly Exposed[]): Problem[] {
  const kinds = settings.map(({ kind }) => kind);
  const known = new Set([...kinds, ...KNOWN_KINDS]);
  return exposed.flatMap(({ location, fields: { domains } }) =>
    (domains === "auto" ? [] : (domains ?? [])).flatMap((kind, index) => {
      if (known.has(kind)) return [];
      const meant = suggestion(kind, [...known]);
      const hint =
        meant === undefined
          ? `add it to the domains section, or use one of ${kinds.join(", ")}`
          : `did you mean "${meant}"?`;
      return [problem(within(location, "domains", index), `domain "${kind}" does not exist`, hint)];
    }),
  );
}

/** Warns of named kinds that are not enabled, and of entries without an enabled kind. */
export function kindWarnings(settings: readonly Domain[], exposed: readonly Exposed[]): string[] {
  const enabled = new Set(settings.filter((domain) => domain.enabled).map(({ kind }) => kind));
  return exposed.flatMap(({ location, fields: { domains } }) => {
    if (domains === undefined) return [];
    const off = domains === "auto" ? [] : domains.filter((kind) => !enabled.has(kind));
    const warnings = off.map((kind) => `${formatLocation(location)}: domain "${kind}" is not enabled; skipped there`);
    const left = domains === "auto" ? enabled.size : domains.length - off.length;
    return left > 0
      ? warnings
      : [...warnings, `${formatLocation(location)}: no enabled domain is left; exposed nowhere`];
  });
}
