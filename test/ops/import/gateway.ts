/** What a gateway answers, computed from routes alone: the routing of Traefik for requests with a protocol, a host and a path. */
import type { Plan } from "../../../infra/plan/types.ts";
import { parseMatcher, truth } from "../../../manifests/matcher.ts";
import { at, listOf, type Manifest, textAt } from "../../../manifests/resource.ts";
import type { IdentityRecords } from "../../../ops/clients/identityRecords.ts";

export interface Request {
  readonly protocol: "http" | "https";
  readonly host: string;
  readonly path: string;
}

/** `nothing`: no route, or a redirect to HTTPS. Otherwise the backend, and who is admitted. */
type Response = "nothing" | { readonly backend: string; readonly admitted: string };

interface Rule {
  readonly match: string;
  readonly priority: number;
  readonly protocols: readonly string[];
  readonly response: (request: Request) => Response;
}

/** Returns the responses of the rules with the highest priority that match; `nothing` without a rule. */
function respond(rules: readonly Rule[], request: Request): Response[] {
  const matching = rules.filter((rule) => rule.protocols.includes(request.protocol) && isFor(rule.match, request));
  const highest = Math.max(...matching.map(({ priority }) => priority));
  const first = matching.filter(({ priority }) => priority === highest);
  return first.length === 0 ? ["nothing"] : first.map(({ response }) => response(request));
}

function isFor(match: string, { host, path }: Request): boolean {
  const matcher = parseMatcher(match);
  if (matcher === undefined) throw new Error(`cannot be parsed: ${match}`);
  const found = truth(matcher, ({ name, values }) => {
    if (name === "host") return values.includes(host);
    if (name === "path") return values.includes(path);
    if (name === "pathprefix") return values.some((value) => path.startsWith(value));
    if (name === "hostregexp") return values.some((value) => new RegExp(value).test(host));
    // The requests have no header, no query, and no `..;` in their path.
    return false;
  });
  return found === true;
}

/** The rules of hand-written IngressRoutes on `web` and `websecure`. @param secured whether `websecure` has TLS for routes without their own */
export function handWritten(manifests: readonly Manifest[], identity: IdentityRecords, secured: boolean): Rule[] {
  const middlewares = new Map(
    manifests.filter(({ kind }) => kind === "Middleware").map((one) => [one.objectName, one]),
  );
  return manifests.flatMap((manifest) => {
    if (manifest.kind !== "IngressRoute") return [];
    return listOf(manifest.spec["routes"]).map((route): Rule => {
      const match = textAt(route, "match") ?? "";
      const names = listOf(at(route, "middlewares")).map((one) => textAt(one, "name"));
      const backend = listOf(at(route, "services"))
        .map((one) => textAt(one, "name"))
        .join("+");
      const protocols = protocolsOf(manifest, secured);
      const priority = at(route, "priority");
      const response = (request: Request): Response => {
        const all = names.map((name) => middlewares.get(name));
        const kinds = all.flatMap((one) => Object.keys(one?.spec ?? { missing: {} }));
        // Traefik does not redirect to the address that was requested.
        const redirects = kinds.includes("redirectScheme") && request.protocol === "http";
        if (kinds.includes("missing") || redirects) return "nothing";
        const admitted = kinds.map((kind) => admittedBy(kind, request, identity)).filter((text) => text !== "everyone");
        return { backend, admitted: admitted.sort().join(" and ") || "everyone" };
      };
      return { match, protocols, response, priority: typeof priority === "number" ? priority : match.length };
    });
  });
}

function protocolsOf({ spec }: Manifest, secured: boolean): string[] {
  if (spec["tls"] !== undefined) return ["https"];
  const entryPoints = listOf(spec["entryPoints"]);
  if (entryPoints.length === 0) return secured ? ["http", "https"] : ["http"];
  return entryPoints.includes("web") ? ["http"] : ["https"];
}

function admittedBy(kind: string, { host, path }: Request, identity: IdentityRecords): string {
  if (kind === "compress" || kind === "redirectScheme") return "everyone";
  if (kind !== "forwardAuth") return kind;
  const provider = identity.proxies.find(({ external_host: url }) => new URL(url).hostname === host);
  if (provider === undefined) return "no user";
  const open = provider.skip_path_regex.split("\n").filter((line) => line !== "");
  const compared = provider.mode === "forward_domain" ? new URL(path, provider.external_host).href : path;
  if (open.some((line) => new RegExp(line).test(compared))) return "everyone";
  const application = identity.applications.find((one) => one.provider === provider.pk);
  const bound = identity.bindings.filter(({ target, enabled }) => enabled && target === application?.pk);
  return admittedText(
    bound.map(({ group, policy }) => group ?? `policy ${policy ?? ""}`).map((name) => name.replace(/^pk-/, "")),
  );
}

function admittedText(groups: readonly string[]): string {
  return groups.length === 0 ? "signed-in users" : `groups ${[...groups].sort().join(", ")}`;
}

/** The rules of a plan. */
export function planned(plan: Plan): Rule[] {
  const exposures = new Map(plan.exposures.map((exposure) => [exposure.id, exposure]));
  return plan.routes.flatMap(({ entryPoint, rules }) =>
    rules.map(({ match, priority, middlewares, exposure, authentication, backend }): Rule => {
      const groups = exposures.get(exposure)?.groups ?? [];
      const admitted =
        authentication === "none" ? "everyone" : authentication === "basic-auth" ? "basicAuth" : admittedText(groups);
      const redirects = middlewares.some((name) => name.startsWith("gatehouse-https"));
      const protocols = [entryPoint === "web" ? "http" : "https"];
      return {
        match,
        priority,
        protocols,
        response: () => (redirects ? "nothing" : { backend: backend.name, admitted }),
      };
    }),
  );
}

/** Returns what hand-written routes and a plan answer together, without duplicates. */
export function responses(rules: readonly Rule[], request: Request): Response[] {
  return [...new Map(respond(rules, request).map((one) => [JSON.stringify(one), one])).values()];
}
