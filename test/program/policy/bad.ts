/** Programs that break a rule: the local stack with a change or an addition, and the findings of the policy pack. */
import { canary } from "../../helpers/program.ts";
import { added, changed, type Program } from "./program.ts";

/** What the tests reach into; the real shapes are Kubernetes'. */
interface Props {
  metadata: { namespace: string; annotations?: Record<string, string> };
  data: Record<string, string>;
  spec: {
    entryPoints: string[];
    tls?: object;
    routes: { match: string; priority: number; middlewares: { name: string }[]; services: { port: number }[] }[];
    headers: { customRequestHeaders: Record<string, string> };
    forwardAuth: { address: string; authResponseHeaders: string[] };
    template: { spec: Pod };
  };
}
interface Pod {
  automountServiceAccountToken?: boolean;
  hostNetwork?: boolean;
  volumes?: unknown[];
  containers: {
    image: string;
    env?: { name: string; value: string }[];
    args?: string[];
    resources: { limits?: unknown };
    securityContext: Record<string, unknown>;
  }[];
}
type Bad = readonly [title: string, make: (good: Program) => Program, findings: readonly string[]];

const ROUTE = "kubernetes:traefik.io/v1alpha1:IngressRoute";
const GRANT = "postgresql:index/grant:Grant";

const edit = (label: string, change: (props: Props) => void) => (good: Program) =>
  changed(good, label, (props) => change(props as unknown as Props));
const pod = (change: (pod: Pod, container: Pod["containers"][number]) => void) =>
  edit("Deployment default/whoami", ({ spec }) => {
    const [container] = spec.template.spec.containers;
    if (container === undefined) throw new Error("the deployment has no container");
    change(spec.template.spec, container);
  });
const route = (match: string, middlewares: readonly string[]) => (good: Program) =>
  added(good, ROUTE, {
    metadata: { name: "added", namespace: "default" },
    spec: {
      entryPoints: ["web"],
      routes: [
        { kind: "Rule", match, middlewares: middlewares.map((name) => ({ name })), services: [{ name: "x", port: 1 }] },
      ],
    },
  });
const grant = (props: object) => (good: Program) =>
  added(good, GRANT, { database: "gatehouse", objectType: "table", privileges: ["SELECT"], ...props });
const chain = (change: (names: { name: string }[]) => { name: string }[]) =>
  edit("IngressRoute default/whoami", ({ spec }) => {
    spec.routes = spec.routes.map((one) => ({ ...one, middlewares: change(one.middlewares) }));
  });
/** The first rule of the route of whoami with a change. */
const oneRule = (change: (rule: Props["spec"]["routes"][number]) => void) =>
  edit("IngressRoute default/whoami", ({ spec }) => {
    const [first] = spec.routes;
    if (first === undefined) throw new Error("the route has no rule");
    change(first);
  });

const FORWARD_AUTH = "gatehouse-outpost-all-users-55ace0b2-forward-auth";
const FOR_ADMINS = "gatehouse-outpost-admins-ebf9904d-forward-auth";
const WHOAMI = "routes-are-protected: IngressRoute default/whoami";
const ADDED = "IngressRoute default/added";
const POD = "pods-are-restricted: Deployment default/whoami";
const SECRET = "secrets-stay-in-secrets:";

export const BAD: readonly Bad[] = [
  [
    "the open route of the data API with another backend",
    edit("IngressRoute gatehouse-data/gatehouse-data-api", ({ spec }) => {
      spec.routes = spec.routes.map((one) => ({ ...one, services: [{ name: "private", port: 80 }] }));
    }),
    Array.from({ length: 13 }, () => "routes-are-protected: IngressRoute gatehouse-data/gatehouse-data-api"),
  ],
  // A planned route has no other content than the plan.
  [
    "another port",
    oneRule((rule) => void (rule.services = rule.services.map((one) => ({ ...one, port: 81 })))),
    [WHOAMI],
  ],
  [
    "another entry point",
    edit("IngressRoute default/whoami", ({ spec }) => void (spec.entryPoints = ["traefik"])),
    [WHOAMI],
  ],
  [
    "TLS options that the plan does not have",
    edit("IngressRoute default/whoami", ({ spec }) => void (spec.tls = { options: { name: "other" } })),
    [WHOAMI],
  ],
  [
    "a middleware before the strip",
    oneRule((rule) => void rule.middlewares.unshift({ name: "other" })),
    [WHOAMI, WHOAMI, WHOAMI],
  ],
  [
    "a middleware behind the authentication",
    oneRule((rule) => void rule.middlewares.push({ name: "other" })),
    [WHOAMI],
  ],
  [
    "a route without one of its rules",
    edit("IngressRoute default/whoami", ({ spec }) => void spec.routes.pop()),
    [WHOAMI],
  ],
  [
    "a rule that the plan does not have, in a planned route",
    edit("IngressRoute default/whoami", ({ spec }) => {
      const [first] = spec.routes;
      if (first) spec.routes.push({ ...first, match: `${first.match} && Method(\`GET\`)` });
    }),
    [WHOAMI, "one-route-per-host: IngressRoute default/whoami"],
  ],
  // Every route carries its strip, and its authentication behind it.
  [
    "a route without its strip",
    chain((names) => names.filter(({ name }) => name !== "gatehouse-strip")),
    [WHOAMI, WHOAMI],
  ],
  ["a strip behind the authentication", chain((names) => names.toReversed()), [WHOAMI, WHOAMI]],
  [
    "a protected host without authentication",
    chain((names) => names.filter(({ name }) => !name.includes("forward-auth"))),
    [WHOAMI, WHOAMI],
  ],
  [
    "the authentication of another service",
    chain((names) => names.map((one) => (one.name === FORWARD_AUTH ? { name: "legacy-basic-auth" } : one))),
    [WHOAMI],
  ],
  [
    "the outpost of other groups on a route",
    edit("IngressRoute default/admin", ({ spec }) => {
      const names = spec.routes.flatMap(({ middlewares }) => middlewares);
      for (const one of names) if (one.name === FOR_ADMINS) one.name = FORWARD_AUTH;
    }),
    ["routes-are-protected: IngressRoute default/admin"],
  ],
  [
    "the outpost of other groups on an added route",
    route("Host(`admin.localhost`) && PathPrefix(`/open`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`one-route-per-host: ${ADDED}`, `routes-are-protected: ${ADDED}`],
  ],
  [
    "an Ingress, which carries nothing",
    (good) =>
      added(good, "kubernetes:networking.k8s.io/v1:Ingress", {
        metadata: { name: "added", namespace: "default" },
        spec: {
          rules: [{ host: "whoami.localhost", http: { paths: [{ path: "/", backend: { service: { name: "x" } } }] } }],
        },
      }),
    [
      "routes-are-protected: Ingress default/added",
      "routes-are-protected: Ingress default/added",
      "one-route-per-host: Ingress default/added",
    ],
  ],
  // Middlewares do what their names state.
  [
    "a strip that leaves one spelling",
    edit("Middleware default/gatehouse-strip", ({ spec }) => {
      delete spec.headers.customRequestHeaders["X_idp_username"];
    }),
    ["middlewares-as-planned: Middleware default/gatehouse-strip"],
  ],
  [
    "forward auth that asks another path",
    edit(`Middleware default/${FORWARD_AUTH}`, ({ spec }) => {
      spec.forwardAuth.address = "http://evil.example.org/yes";
    }),
    [`middlewares-as-planned: Middleware default/${FORWARD_AUTH}`],
  ],
  [
    "a middleware with the name of a planned one in Traefik",
    (good) =>
      added(good, "kubernetes:traefik.io/v1alpha1:Middleware", {
        metadata: { name: "strip", namespace: "default-gatehouse" },
        spec: { headers: {} },
      }),
    ["middlewares-as-planned: Middleware default-gatehouse/strip"],
  ],
  // No host outside of the plan.
  [
    "a host without a plan",
    route("Host(`other.localhost`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`hosts-are-planned: ${ADDED}`],
  ],
  [
    "a host among others",
    route("Host(`other.localhost`) || Host(`whoami.localhost`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`hosts-are-planned: ${ADDED}`, `one-route-per-host: ${ADDED}`],
  ],
  [
    "a pattern for hosts",
    route("HostRegexp(`^[a-z]+[.]example[.]org$`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`hosts-are-planned: ${ADDED}`],
  ],
  [
    "a path on every host",
    route("PathPrefix(`/metrics`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`hosts-are-planned: ${ADDED}`, `one-route-per-host: ${ADDED}`, `routes-are-protected: ${ADDED}`],
  ],
  // No host on two routes.
  [
    "a second route for a planned host",
    route("Host(`whoami.localhost`) && PathPrefix(`/open`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`one-route-per-host: ${ADDED}`],
  ],
  [
    "the same match twice",
    route("Host(`whoami.localhost`)", ["gatehouse-strip", FORWARD_AUTH]),
    [`one-route-per-host: ${ADDED}`, `one-route-per-host: ${ADDED}`],
  ],
  // Private schemas.
  [
    "a grant on a private schema",
    grant({ role: "gatehouse_anonymous", schema: "private_marts" }),
    ["private-schemas-stay-closed: Grant added"],
  ],
  [
    "a grant to everybody",
    grant({ role: "public", schema: "private_raw" }),
    ["private-schemas-stay-closed: Grant added"],
  ],
  [
    "default privileges in every schema",
    (good) =>
      added(good, "postgresql:index/defaultPrivileges:DefaultPrivileges", {
        ...{ database: "gatehouse", owner: "gatehouse_owner", role: "analyst", objectType: "table" },
        privileges: ["SELECT"],
      }),
    ["private-schemas-stay-closed: DefaultPrivileges added"],
  ],
  [
    "a member of the owner",
    (good) =>
      added(good, "postgresql:index/grantRole:GrantRole", {
        role: "gatehouse_anonymous",
        grantRole: "gatehouse_owner",
      }),
    ["private-schemas-stay-closed: GrantRole added"],
  ],
  // Service accounts.
  [
    "pods with the default token",
    pod((spec) => void delete spec.automountServiceAccountToken),
    ["no-default-service-account: Deployment default/whoami", POD],
  ],
  [
    "rights of the default account",
    (good) =>
      added(good, "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding", {
        metadata: { name: "added", namespace: "default" },
        subjects: [{ kind: "ServiceAccount", name: "default", namespace: "default" }],
      }),
    ["no-default-service-account: RoleBinding default/added"],
  ],
  ...["system:serviceaccount:default:default", "system:serviceaccounts:default", "system:authenticated"].map(
    (name): Bad => [
      `rights of ${name}`,
      (good) =>
        added(good, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding", {
          metadata: { name: "added" },
          subjects: [{ kind: name === "system:serviceaccount:default:default" ? "User" : "Group", name }],
        }),
      ["no-default-service-account: ClusterRoleBinding default/added"],
    ],
  ),
  // Restricted pods.
  ["a privileged container", pod((_, { securityContext }) => void (securityContext["privileged"] = true)), [POD]],
  ["a writable root", pod((_, { securityContext }) => void (securityContext["readOnlyRootFilesystem"] = false)), [POD]],
  ["a folder of the node", pod((spec) => void (spec.volumes = [{ name: "root", hostPath: { path: "/" } }])), [POD]],
  ["the node's network", pod((spec) => void (spec.hostNetwork = true)), [POD]],
  ["no limit", pod((_, { resources }) => void delete resources.limits), [POD]],
  // Images.
  [
    "a tag where digests are asked for",
    (good) => ({
      resources: good.resources.filter(({ name }) => name === "gateway-echo-deployment"),
      facts: { ...good.facts, digestsRequired: true },
    }),
    ["images-state-digests: Deployment default/whoami"],
  ],
  // Secrets.
  [
    "a secret variable in the environment",
    pod((_, container) => void (container.env = [{ name: "GREETING", value: `hello ${canary("LEGACY_PASSWORD")}` }])),
    [`${SECRET} Deployment default/whoami`],
  ],
  [
    "a password by its name",
    pod((_, container) => void (container.env = [{ name: "DB_PASSWORD", value: "abc" }])),
    [`${SECRET} Deployment default/whoami`],
  ],
  [
    "a token as an argument",
    pod((_, container) => void (container.args = ["--port", "8080", "--token", "abc"])),
    [`${SECRET} Deployment default/whoami`],
  ],
  [
    "a private key in a ConfigMap",
    (good) =>
      added(good, "kubernetes:core/v1:ConfigMap", {
        metadata: { name: "added", namespace: "default" },
        data: { "tls.pem": "-----BEGIN EC PRIVATE KEY-----\nMHc=\n-----END EC PRIVATE KEY-----" },
      }),
    [`${SECRET} ConfigMap default/added`],
  ],
  [
    "a secret in an annotation, encoded",
    edit("Deployment default/whoami", ({ metadata }) => {
      metadata.annotations = { note: Buffer.from(canary("POSTGRES_PASSWORD")).toString("base64") };
    }),
    [`${SECRET} Deployment default/whoami`],
  ],
];
