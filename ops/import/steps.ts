/** What the user does before and after the deployment of imported entries, so that no host is open or unreachable in between. */
import type { Plan } from "../../infra/plan/types.ts";
import { type Manifest, objectLabel } from "../../manifests/resource.ts";
import { deletion } from "../checks/audit/finding.ts";
import { objectLabels } from "../clients/services.ts";
import type { Import } from "./import.ts";
import type { TargetStack } from "./target.ts";
import type { Source, SourceRoute } from "./source.ts";
import { argument } from "../text.ts";

/** Returns the steps in order. @param context of the cluster, for the commands */
export function stepsOf(imported: Import, source: Source, target: TargetStack, context: string) {
  const taken = takenNames(imported, source, target);
  const objects = [...new Set(imported.mapped.map(({ manifest }) => manifest))].map((manifest) => {
    return taken.includes(manifest) ? renamed(manifest) : manifest;
  });
  // The deployment creates the namespace of the outposts. Until it has the Secret, Traefik finds the certificate of a host in the namespace of the
  // application (measured with 3.7.5).
  const outposts = imported.plan.outposts.map(({ namespace }) => `${namespace}/`);
  const { present = [], created = [] } = Object.groupBy(certificates(imported, target.plan), (secret) =>
    outposts.some((namespace) => secret.startsWith(namespace)) ? "created" : "present",
  );
  return {
    before: [
      ...priorities(imported),
      ...taken.map((manifest) => renaming(manifest, context)),
      ...present.map(certificateStep),
    ],
    after: [
      ...created.map(certificateStep),
      ...objects.map((manifest) => removal(manifest, imported, context)),
      ...oldApplications(imported),
    ],
  };
}

/** Returns the steps for rules of imported hosts whose priority places them before some of Gatehouse's (infra/plan/routes.ts). */
function priorities({ mapped, plan }: Import): string[] {
  const lowest = Math.min(...plan.routes.flatMap(({ rules }) => rules.map(({ priority }) => priority)));
  const high = mapped.filter(({ priority }) => priority >= lowest);
  return high.map(({ manifest, match, priority }) => {
    return `Set priority: ${lowest - 1} or lower on the rule ${match} of ${manifest.label} (now ${priority}). Otherwise it stays in front of Gatehouse's rules, which have priority ${lowest} or more.`;
  });
}

/** Returns objects whose names the deployment uses. It does not take them over: server-side apply reports a conflict. */
function takenNames({ plan }: Import, { manifests }: Source, target: TargetStack): Manifest[] {
  const names = (of: Plan) => [
    ...of.routes.map((route) => objectLabel("IngressRoute", route)),
    ...of.middlewares.map((one) => objectLabel("Middleware", one)),
  ];
  const own = new Set(names(target.plan));
  const planned = new Set(names(plan).filter((name) => !own.has(name)));
  return manifests.filter(({ label }) => planned.has(label));
}

/** Returns the object with the name that the step before the deployment gives it: its current one is that of a new object. */
function renamed(manifest: Manifest): Manifest {
  const objectName = `${manifest.objectName ?? ""}-old`;
  return { ...manifest, objectName, label: `${manifest.kind} ${manifest.namespace}/${objectName}` };
}

function renaming(manifest: Manifest, context: string): string {
  const { label, kind, objectName = "", namespace } = manifest;
  const why = `Rename ${label}: the deployment creates an object of this name, and fails if it exists.`;
  if (kind !== "IngressRoute")
    return `${why} Copy it under another name, change the routes that use it, and delete it.`;
  const kubectl = `kubectl --context ${argument(context)} --namespace ${namespace}`;
  const metadata = `{name: "${renamed(manifest).objectName}", namespace: .metadata.namespace, annotations: .metadata.annotations}`;
  const copy = `${kubectl} get ingressroute.traefik.io ${objectName} --output json | jq '{apiVersion, kind, spec, metadata: ${metadata}}' | ${kubectl} create --filename -`;
  return `${why} Both serve the host in between:\n${copy} &&\n${deletion(manifest, context)}`;
}

/** Returns the TLS Secrets that are missing: Traefik reads the certificate of a route from the namespace of the route. */
function certificates({ plan, mapped }: Import, before: Plan): string[] {
  const present = new Set(
    mapped.flatMap(({ tls, manifest }) => (tls?.termination === "secret" ? [`${manifest.namespace}/${tls.name}`] : [])),
  );
  const known = new Set(secretsOf(before));
  return [...new Set(secretsOf(plan).filter((name) => !present.has(name) && !known.has(name)))];
}

function certificateStep(secret: string): string {
  return `Create the TLS Secret ${secret}: the new routes in that namespace name it.`;
}

function secretsOf({ routes }: Plan): string[] {
  return routes.flatMap(({ tls, namespace }) => (tls?.termination === "secret" ? [`${namespace}/${tls.name}`] : []));
}

function removal(manifest: Manifest, { mapped, unmapped }: Import, context: string): string {
  const isOf = (route: SourceRoute): boolean => route.manifest.spec === manifest.spec;
  if (objectLabels(manifest)["app.kubernetes.io/managed-by"] === "goauthentik.io")
    return `Leave ${manifest.label} to authentik, which creates it again: it removes the host when the provider is deleted.`;
  if (![...unmapped.keys()].some(isOf)) return deletion(manifest, context);
  const rules = mapped.filter(isOf).map(({ match }) => match);
  return `Remove from ${manifest.label} only: ${rules.join(", ")}`;
}

function oldApplications({ entries }: Import): string[] {
  return entries.flatMap(({ fields: { name, type }, hosts: [host] }) => {
    const slug = host?.protection.application?.slug;
    if (slug === undefined) return [];
    return type === "oauth2"
      ? `Configure the application of ${name} with the Secret ${name}-oauth2, then delete the application "${slug}" and its provider in authentik, unless other applications use its client.`
      : `Delete the application "${slug}" and its provider in authentik, unless other hosts use it.`;
  });
}
