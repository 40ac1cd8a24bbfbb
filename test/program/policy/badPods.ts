/** Programs whose pods, or what they run and read, break a rule. */
import { canary } from "../../helpers/program.ts";
import { added, type Bad, edit } from "./program.ts";

/** What the tests reach into; the real shapes are Kubernetes'. */
interface Props {
  metadata: { annotations?: Record<string, string> };
  spec: { template: { spec: Pod } };
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

const pod = (change: (pod: Pod, container: Pod["containers"][number]) => void) =>
  edit<Props>("Deployment default/whoami", ({ spec }) => {
    const [container] = spec.template.spec.containers;
    if (container === undefined) throw new Error("the deployment has no container");
    change(spec.template.spec, container);
  });

const POD = "pods-are-restricted: Deployment default/whoami";
const SECRET = "secrets-stay-in-secrets:";

export const BAD_PODS: readonly Bad[] = [
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
  [
    "a patch that gives a pod the network of its node",
    (good) =>
      added(good, "kubernetes:apps/v1:DeploymentPatch", {
        metadata: { name: "web", namespace: "apps" },
        spec: { template: { spec: { hostNetwork: true, volumes: [{ name: "h", hostPath: { path: "/" } }] } } },
      }),
    ["pods-are-restricted: Deployment apps/web", "pods-are-restricted: Deployment apps/web"],
  ],
  [
    "a patch with a privileged container that starts first",
    (good) =>
      added(good, "kubernetes:apps/v1:DeploymentPatch", {
        metadata: { name: "web", namespace: "apps" },
        spec: { template: { spec: { initContainers: [{ name: "i", securityContext: { privileged: true } }] } } },
      }),
    ["pods-are-restricted: Deployment apps/web"],
  ],
  [
    "a patch with another container",
    (good) =>
      added(good, "kubernetes:apps/v1:DeploymentPatch", {
        metadata: { name: "web", namespace: "apps" },
        spec: { template: { spec: { containers: [{ name: "x", image: `x@sha256:${"1".repeat(64)}` }] } } },
      }),
    Array.from({ length: 6 }, () => "pods-are-restricted: Deployment apps/web"),
  ],
  [
    "a token in a projected volume",
    pod((spec) => {
      const sources = [{ serviceAccountToken: { path: "token" } }];
      spec.volumes = [...(spec.volumes ?? []), { name: "t", projected: { sources } }];
    }),
    [POD],
  ],
  [
    "a secret in the base64 of a longer text",
    (good) => {
      const value = Buffer.from(`ops:${canary("POSTGRES_PASSWORD")}`).toString("base64");
      const metadata = { name: "added", namespace: "default" };
      return added(good, "kubernetes:core/v1:ConfigMap", { metadata, data: { header: `Basic ${value}` } });
    },
    [`${SECRET} ConfigMap default/added`],
  ],
  ...[
    "system:serviceaccount:default:default",
    "system:serviceaccounts:default",
    "system:authenticated",
    "system:anonymous",
  ].map((name): Bad => [
    `rights of ${name}`,
    (good) =>
      added(good, "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding", {
        metadata: { name: "added" },
        subjects: [{ kind: name === "system:serviceaccount:default:default" ? "User" : "Group", name }],
      }),
    ["no-default-service-account: ClusterRoleBinding default/added"],
  ]),
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
    edit<Props>("Deployment default/whoami", ({ metadata }) => {
      metadata.annotations = { note: Buffer.from(canary("POSTGRES_PASSWORD")).toString("base64") };
    }),
    [`${SECRET} Deployment default/whoami`],
  ],
];
