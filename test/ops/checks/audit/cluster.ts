/** The objects of a cluster as a plan describes it. */
import { endpointsName, endpointsOf } from "../../../../infra/gateway/endpoints.ts";
import { middlewareSpec, routeSpec, traefikServiceSpec } from "../../../../infra/gateway/specs.ts";
import { authPath } from "../../../../protections/forwardAuth.ts";
import { type GatewayPods, gatewayPods, namespaced, allowIngressFrom } from "../../../../infra/network.ts";
import type { Plan } from "../../../../infra/plan/types.ts";
import { labelsOf } from "../../../../infra/pods.ts";
import { type ClusterObjects } from "../../../../ops/clients/clusterObjects.ts";
import { type Manifest, manifestOf } from "../../../../manifests/resource.ts";

/** Traefik of the stacks in these tests. */
export const GATEWAY: GatewayPods = { namespace: "kube-system", podLabels: { "app.kubernetes.io/name": "traefik" } };
const TRAEFIK = "traefik.io/v1alpha1";

/** Returns an object of the cluster. */
export function object(apiVersion: string, kind: string, place: string, content: object, labels = {}): Manifest {
  const [namespace = "", name = ""] = place.split("/");
  const metadata = { namespace, name, labels };
  const found = manifestOf({ type: `kubernetes:${apiVersion}:${kind}`, name, props: { metadata, ...content } });
  if (found === undefined) throw new Error(`${kind} is not a kind of Kubernetes`);
  return found;
}

export function ingressRoute(place: string, match: string, fields: object = {}): Manifest {
  const services = [{ name: "somewhere", port: 80 }];
  const routes = [{ kind: "Rule", match, services, ...fields }];
  return object(TRAEFIK, "IngressRoute", place, { spec: { entryPoints: ["web"], routes } });
}

export function clusterOf(plan: Plan): ClusterObjects {
  const backends = new Map(
    plan.routes.flatMap(({ rules }) => rules).map(({ backend }) => [`${backend.namespace}/${backend.name}`, backend]),
  );
  const manifests = [
    ...plan.routes.map((route) =>
      object(TRAEFIK, "IngressRoute", `${route.namespace}/${route.name}`, { spec: routeSpec(route) }),
    ),
    ...plan.traefikServices.map((service) =>
      object(TRAEFIK, "TraefikService", `${service.namespace}/${service.name}`, { spec: traefikServiceSpec(service) }),
    ),
    ...plan.middlewares.map((middleware) =>
      object(TRAEFIK, "Middleware", `${middleware.namespace}/${middleware.name}`, {
        spec: middlewareSpec(middleware, {
          authAddress: ({ outpost, refusal }) => `http://${addressOf(plan, outpost)}:9000${authPath(refusal)}`,
          users: ({ name }) => name,
        }),
      }),
    ),
    ...[...backends].flatMap(([place, { name, namespace, port }]) => [
      object("core/v1", "Service", place, {
        spec: { type: "ClusterIP", clusterIP: addressOf(plan, name), selector: labelsOf(name), ports: [{ port }] },
      }),
      object("core/v1", "Pod", place, { status: { conditions: [{ type: "Ready", status: "True" }] } }, labelsOf(name)),
      object("networking.k8s.io/v1", "NetworkPolicy", place, {
        spec: allowIngressFrom(labelsOf(name), port, [gatewayPods(GATEWAY), namespaced(namespace)]),
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
  return { manifests, unread: new Map(), absent: new Set() };
}

/** Cluster IP of a Service: each outpost has its own. */
function addressOf({ outposts }: Plan, service: string): string {
  const outpost = outposts.findIndex(({ name }) => name === service);
  return outpost < 0 ? "10.43.0.9" : `10.43.1.${outpost + 1}`;
}

/** The cluster with additional objects. */
export function withObjects(objects: ClusterObjects, ...more: readonly Manifest[]): ClusterObjects {
  return { ...objects, manifests: [...objects.manifests, ...more] };
}

/** The cluster with one object changed, or, when nothing is returned, without it. */
export function edited(
  objects: ClusterObjects,
  kind: string,
  place: string,
  edit: (spec: Record<string, unknown>) => Record<string, unknown> | undefined,
): ClusterObjects {
  const index = objects.manifests.findIndex(({ label }) => label === `${kind} ${place}`);
  const found = objects.manifests[index];
  if (found === undefined) throw new Error(`the cluster has no ${kind} ${place}`);
  const spec = edit(structuredClone(found.spec));
  const rest = objects.manifests.toSpliced(index, 1);
  return { ...objects, manifests: spec ? [...rest, { ...found, spec }] : rest };
}

/** An Ingress of another application with annotations. */
export function annotatedIngress(annotations: object, host = "open.example.com"): Manifest {
  const paths = [{ path: "/", backend: { service: { name: "x", port: { number: 80 } } } }];
  const metadata = { namespace: "default", name: "annotated", annotations };
  return object("networking.k8s.io/v1", "Ingress", "default/annotated", {
    metadata,
    spec: {
      rules: [
        {
          host,
          http: { paths },
        },
      ],
    },
  });
}
