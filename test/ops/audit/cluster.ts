/** A cluster that holds what a plan says, as plain objects. */
import { endpointsName, endpointsOf } from "../../../infra/gateway/endpoints.ts";
import { authPath, middlewareSpec, routeSpec } from "../../../infra/gateway/specs.ts";
import { onlyFrom } from "../../../infra/network.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { labelsOf } from "../../../infra/pods.ts";
import { type ClusterObjects } from "../../../ops/audit/objects.ts";
import type { Resource } from "../../../policy/resource.ts";

export const GATEWAY = "kube-system";
const ADDRESS = "10.43.0.9";
const TRAEFIK = "traefik.io/v1alpha1";

/** An object in the cluster. */
export function object(apiVersion: string, kind: string, place: string, content: object): Resource {
  const [namespace = "", name = ""] = place.split("/");
  return { type: `kubernetes:${apiVersion}:${kind}`, name, props: { metadata: { namespace, name }, ...content } };
}

export function ingressRoute(place: string, match: string, fields: object = {}): Resource {
  const services = [{ name: "somewhere", port: 80 }];
  const routes = [{ kind: "Rule", match, services, ...fields }];
  return object(TRAEFIK, "IngressRoute", place, { spec: { entryPoints: ["web"], routes } });
}

export function clusterOf(plan: Plan): ClusterObjects {
  const backends = new Map(
    plan.routes.flatMap(({ rules }) => rules).map(({ backend }) => [`${backend.namespace}/${backend.name}`, backend]),
  );
  const identityProvider = plan.exposures.find(({ role }) => role === "identity-provider")?.backend;
  const outposts = identityProvider ? `http://${ADDRESS}:${identityProvider.port}` : plan.identityProviderUrl;
  const resources = [
    ...plan.routes.map((route) =>
      object(TRAEFIK, "IngressRoute", `${route.namespace}/${route.name}`, { spec: routeSpec(route) }),
    ),
    ...plan.middlewares.map((middleware) =>
      object(TRAEFIK, "Middleware", `${middleware.namespace}/${middleware.name}`, {
        spec: middlewareSpec(middleware, {
          authAddress: ({ refusal }) => `${outposts ?? ""}${authPath(refusal)}`,
          users: ({ name }) => name,
        }),
      }),
    ),
    ...[...backends].flatMap(([place, { name, namespace, port }]) => [
      object("core/v1", "Service", place, {
        spec: { type: "ClusterIP", clusterIP: ADDRESS, selector: labelsOf(name), ports: [{ port }] },
      }),
      object("networking.k8s.io/v1", "NetworkPolicy", place, {
        spec: onlyFrom(labelsOf(name), port, [GATEWAY, namespace]),
      }),
    ]),
    ...plan.records
      .filter(({ targets }) => targets.length > 0)
      .map((records) =>
        object("externaldns.k8s.io/v1alpha1", "DNSEndpoint", `default/${endpointsName(records)}`, {
          spec: { endpoints: endpointsOf(records) },
        }),
      ),
  ];
  return { resources, unread: new Map() };
}

/** The cluster with objects more. */
export function withObjects({ resources, unread }: ClusterObjects, ...more: readonly Resource[]): ClusterObjects {
  return { resources: [...resources, ...more], unread };
}

/** The cluster with one object changed, or, when nothing is returned, without it. */
export function edited(
  { resources, unread }: ClusterObjects,
  kind: string,
  place: string,
  edit: (spec: Record<string, unknown>) => Record<string, unknown> | undefined,
): ClusterObjects {
  const { type: suffix, name } = object("", kind, place, {});
  const index = resources.findIndex(
    (one) => one.type.endsWith(suffix.slice("kubernetes:".length)) && one.name === name && placeOf(one) === place,
  );
  const found = resources[index];
  if (found === undefined) throw new Error(`the cluster has no ${kind} ${place}`);
  const spec = edit(structuredClone(found.props["spec"]) as Record<string, unknown>);
  const rest = resources.toSpliced(index, 1);
  return { resources: spec ? [...rest, { ...found, props: { ...found.props, spec } }] : rest, unread };
}

function placeOf({ props }: Resource): string {
  const { namespace, name } = props["metadata"] as { namespace: string; name: string };
  return `${namespace}/${name}`;
}
