/** Severity, hosts, evidence and hints of findings. */
import { expect, test } from "vitest";
import { audit } from "../../../../ops/checks/audit/audit.ts";
import { describeFinding } from "../../../../ops/checks/finding.ts";
import { namespaced, allowIngressFrom } from "../../../../infra/network.ts";
import type { ClusterObjects } from "../../../../ops/clients/clusterObjects.ts";
import { fieldsOf } from "../../../../manifests/resource.ts";
import { edited, GATEWAY, ingressRoute, object, withObjects } from "./cluster.ts";
import { clean, plan } from "./tampered/planned.ts";

const findings = (objects: ClusterObjects) =>
  audit(objects, plan, { context: "prod", given: "prod", gateway: GATEWAY });
const routes = (spec: Record<string, unknown>) => spec["routes"] as { match: string; priority: number }[];

test("attributes a changed rule to its own host", () => {
  const changed = edited(clean, "IngressRoute", "default/wiki", (spec) => {
    for (const rule of routes(spec))
      if (rule.match === "Host(`wiki.localhost`) && !Method(`CONNECT`) && !HeaderRegexp(`Upgrade`, `(?i)h2|http|tls`)")
        rule.priority = 1;
    return spec;
  });
  expect(findings(changed).map(({ hosts, evidence }) => ({ hosts, evidence }))).toEqual([
    { hosts: ["wiki.localhost"], evidence: ["priority is 1, planned 100"] },
  ]);
});

test("attributes a missing route to all of its hosts", () => {
  const [finding] = findings(edited(clean, "IngressRoute", "default/wiki", () => undefined));
  expect(finding?.hosts).toEqual(["wiki.localhost", "wiki.mesh.example.org"]);
  expect(finding?.hint).toBe("run npx gatehouse deploy prod --refresh");
});

test("finds an additional rule in a planned route", () => {
  const added = { kind: "Rule", match: "PathPrefix(`/open`) && Host(`wiki.localhost`)", services: [{ name: "x" }] };
  const changed = edited(clean, "IngressRoute", "default/wiki", (spec) => ({
    ...spec,
    routes: [...routes(spec), added],
  }));
  const [finding] = findings(changed);
  expect([finding?.message, finding?.hosts]).toEqual([
    "has an unplanned rule for PathPrefix(`/open`) && Host(`wiki.localhost`)",
    ["wiki.localhost"],
  ]);
});

test.each([
  ["a warning for a lower", 1, "warning", []],
  ["an error for a higher", 9000, "error", ["wiki.localhost"]],
] as const)("reports %s priority of an unmanaged route", (_, priority, severity, hosts) => {
  const [finding] = findings(withObjects(clean, ingressRoute("old/wiki", "Host(`wiki.localhost`)", { priority })));
  expect(finding).toMatchObject({ severity, hosts, subject: "IngressRoute old/wiki" });
  expect(finding?.hint).toBe(
    "remove it (kubectl --context prod delete ingressroute.traefik.io wiki --namespace old), or name another host in it",
  );
});

test.each([
  [-1, "warning"],
  [0, "error"],
] as const)("reports the priority %i of a long rule with severity %s", (priority, severity) => {
  const match = `Host(\`wiki.localhost\`) && PathPrefix(\`/${"a".repeat(100)}\`)`;
  const [finding] = findings(withObjects(clean, ingressRoute("old/wiki", match, { priority })));
  expect(finding?.severity).toBe(severity);
});

test.each(["0", "high"])("reports the priority %s of an Ingress as unknown", (priority) => {
  const metadata = { annotations: { "traefik.ingress.kubernetes.io/router.priority": priority } };
  const paths = [{ path: "/", backend: { service: { name: "x" } } }];
  const ingress = object("networking.k8s.io/v1", "Ingress", "old/wiki", {
    metadata: { ...metadata, namespace: "old", name: "wiki" },
    spec: { rules: [{ host: "wiki.localhost", http: { paths } }] },
  });
  const [finding] = findings(withObjects(clean, ingress));
  expect(finding).toMatchObject({ severity: "error", hosts: ["wiki.localhost"] });
  expect(finding?.message).toContain("next to the planned route");
});

test("attributes a middleware that replaces a planned one to the hosts of the planned one", () => {
  const other = object("traefik.io/v1alpha1", "Middleware", "default-legacy/basic-auth", { spec: { headers: {} } });
  const legacy = plan.exposures.filter(({ entry }) => entry === "legacy").map(({ host }) => host);
  expect(legacy).not.toEqual([]);
  expect(findings(withObjects(clean, other))).toMatchObject([
    {
      severity: "error",
      hosts: legacy,
      hint: "remove it (kubectl --context prod delete middleware.traefik.io basic-auth --namespace default-legacy), or rename it",
    },
  ]);
});

test.each(["", "traefik"])("accepts a planned route of the class '%s', which Traefik reads", (value) => {
  const annotations = { "kubernetes.io/ingress.class": value };
  const manifests = clean.manifests.map((one) =>
    one.label === "IngressRoute default/wiki"
      ? { ...one, props: { ...one.props, metadata: { ...fieldsOf(one.props["metadata"]), annotations } } }
      : one,
  );
  expect(findings({ ...clean, manifests })).toEqual([]);
});

test.each([
  [3001, "monitoring", []],
  [3000, "monitoring", ["lets the namespace monitoring connect to port 3000 of gatehouse-data/postgrest"]],
  [3001, "evil", ["lets the namespace evil connect to port 3001 of gatehouse-data/postgrest"]],
])("compares a NetworkPolicy for port %i and the namespace %s with the monitoring's", (port, from, expected) => {
  const spec = allowIngressFrom({ "app.kubernetes.io/name": "postgrest" }, port, [namespaced(from)]);
  const objects = withObjects(
    clean,
    object("networking.k8s.io/v1", "NetworkPolicy", "gatehouse-data/metrics", { spec }),
  );
  const observability = { namespace: "monitoring" };
  const found = audit(objects, plan, { context: "prod", given: "prod", gateway: GATEWAY, observability });
  expect(found.map(({ message }) => message)).toEqual(expected);
});

test("reports which header a middleware sets, and not its value", () => {
  const changed = edited(clean, "Middleware", "default/gatehouse-strip", (spec) => {
    const { customRequestHeaders } = spec["headers"] as { customRequestHeaders: object };
    const more = { "X-Api-Key": "canary", Authorization: "Basic canary" };
    return { ...spec, headers: { customRequestHeaders: { ...customRequestHeaders, ...more } } };
  });
  expect(findings(changed).map(({ evidence }) => evidence)).toEqual([
    [
      "headers.customRequestHeaders.X-Api-Key is set, planned missing",
      "headers.customRequestHeaders.Authorization is set, planned missing",
    ],
  ]);
  const section = edited(clean, "Middleware", "default/gatehouse-strip", (spec) => ({
    ...spec,
    plugin: { gate: { key: "canary" } },
  }));
  expect(JSON.stringify(findings(section))).not.toContain("canary");
});

const CDN = "Header(`X-CDN`, `canary`)";
test.each([
  [
    "a planned host",
    ingressRoute("old/one", `Host(\`wiki.localhost\`) && ${CDN}`, { priority: 1 }),
    "Host(`wiki.localhost`) && Header(`X-CDN`, `…`): serves wiki.localhost, with priority 1 next to the planned route",
  ],
  [
    "a planned backend",
    ingressRoute("default/one", `Host(\`open.example.com\`) && ${CDN}`, {
      services: [{ name: "whoami", port: 8080 }],
    }),
    "Host(`open.example.com`) && Header(`X-CDN`, `…`): routes to default/whoami without the planned protection",
  ],
  [
    "Traefik's API",
    ingressRoute("old/one", `Host(\`api.example.com\`) && ${CDN}`, {
      services: [{ kind: "TraefikService", name: "api@internal" }],
    }),
    "Host(`api.example.com`) && Header(`X-CDN`, `…`): opens api@internal of Traefik, which shows all routes and the password hashes of basic services",
  ],
])("prints no value of a header that the rule of %s requires", (_, route, message) => {
  expect(findings(withObjects(clean, route)).map((found) => found.message)).toEqual([message]);
});

test("prints no value of a header that an additional rule in a planned route requires", () => {
  const changed = edited(clean, "IngressRoute", "default/wiki", (spec) => ({
    ...spec,
    routes: [...routes(spec), { kind: "Rule", match: `Host(\`wiki.localhost\`) && ${CDN}`, services: [{ name: "x" }] }],
  }));
  expect(findings(changed).map(({ message }) => message)).toEqual([
    "has an unplanned rule for Host(`wiki.localhost`) && Header(`X-CDN`, `…`)",
    "Host(`wiki.localhost`) && Header(`X-CDN`, `…`): does not remove forged identity headers",
    "Host(`wiki.localhost`) && Header(`X-CDN`, `…`): is open to everyone, which the plan does not declare",
  ]);
});

test("prints subject and message, and below them evidence and hint", () => {
  const finding = {
    severity: "warning" as const,
    subject: "every Pod",
    message: "could not be read",
    evidence: ["first", "second\nline"],
    hint: "allow it",
  };
  expect(describeFinding(finding, (_, text) => text)).toEqual([
    "– every Pod: could not be read",
    "    first",
    "    second\n    line",
    "    allow it",
  ]);
});

test("warns of the Ingress with which cert-manager answers a challenge, and of no other with its label", () => {
  const solver = (path: string) =>
    object(
      "networking.k8s.io/v1",
      "Ingress",
      "default/cm-acme-http-solver-x7k2p",
      {
        spec: { rules: [{ host: "wiki.localhost", http: { paths: [{ path, backend: { service: { name: "x" } } }] } }] },
      },
      { "acme.cert-manager.io/http01-solver": "true" },
    );
  const severities = (path: string) => findings(withObjects(clean, solver(path))).map(({ severity }) => severity);
  expect(severities("/.well-known/acme-challenge/LoqXcYV8q5ONbJQxbmR7SCTNo3tiAXDfowyjxAjEuX0")).toEqual(["warning"]);
  expect(severities("/.well-known/acme-challenge/")).toEqual(["error"]);
  expect(severities("/")).toEqual(["error"]);
});

test.each([
  ["a custom controller", { "endpointslice.kubernetes.io/managed-by": "me" }, 1],
  ["no controller", {}, 1],
  ["the controller of Kubernetes", { "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io" }, 0],
  ["no controller, of another Service", { "kubernetes.io/service-name": "shop" }, 0],
])("compares an EndpointSlice of an outpost, managed by %s", (_, labels, count) => {
  const [outpost] = plan.outposts;
  if (outpost === undefined) throw new Error("the plan has no outpost");
  const { namespace, name } = outpost;
  const slice = object(
    "discovery.k8s.io/v1",
    "EndpointSlice",
    `${namespace}/added`,
    { endpoints: [{ addresses: ["10.42.6.6"] }] },
    { "kubernetes.io/service-name": name, ...labels },
  );
  const found = findings(withObjects(clean, slice));
  expect(found).toHaveLength(count);
  for (const { hosts, ...rest } of found) {
    expect(hosts).not.toEqual([]);
    expect(rest).toMatchObject({
      subject: `EndpointSlice ${namespace}/added`,
      message: `adds addresses to ${namespace}/${name}, which receive its requests`,
      evidence: ["its addresses: 10.42.6.6"],
      hint: `remove it (kubectl --context prod delete endpointslice.discovery.k8s.io added --namespace ${namespace})`,
    });
  }
});
