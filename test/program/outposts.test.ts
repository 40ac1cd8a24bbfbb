import { beforeAll, describe, expect, test } from "vitest";
import { proxy, sections, stack } from "../config/stacks.ts";
import type { Recorder } from "../helpers/recorder.ts";
import { gatewayIn } from "../helpers/networkPolicy.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";

const OUTPOST = "authentik:index/outpost:Outpost";
const PROVIDER = "authentik:index/providerProxy:ProviderProxy";

interface Pods {
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly Readonly<Record<string, unknown>>[];
        readonly volumes?: readonly unknown[];
      };
    };
  };
}
interface Spec {
  readonly spec: Readonly<Record<string, unknown>>;
}

const services = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    proxy({ name: `service-${index}`, application_slug: `service-${index}`, domains: ["mesh"] }),
  );
const small = (count: number, size: number) =>
  stack({
    protected_services: services(count),
    identity_provider: { ...sections.identity_provider, providers_per_outpost: size },
    data_api: undefined,
  });

describe.each([
  ["installed", sections.identity_provider, "authentik", "http://127.96.0.9:9000", "http://authentik.localhost"],
  [
    "existing",
    { install: false, url: "https://sso.example.org", token: "${TOKEN}" },
    "gatehouse-outposts-local",
    "https://sso.example.org",
    "https://sso.example.org",
  ],
])("the outposts of an %s identity provider", (title, identity_provider, namespace, serverUrl, browserUrl) => {
  let recorder: Recorder;
  const list = [
    proxy({ groups: ["staff"], domains: ["mesh"] }),
    proxy({ name: "shop", application_slug: "shop", domains: ["mesh"] }),
    proxy({ name: "blog", application_slug: "blog", domains: ["mesh"] }),
  ];
  const records = () => recorder.of(OUTPOST).map(({ inputs }) => inputs);
  beforeAll(async () => {
    recorder = await deploy(stack({ protected_services: list, identity_provider, data_api: undefined }));
  }, PATIENCE);

  test("list exactly the providers of their allowed groups", () => {
    const providers = recorder.of(PROVIDER).map(({ inputs }) => String(inputs["name"]).replace(/-[0-9a-f]{8}$/, ""));
    const served = records().map(({ name, protocolProviders }) => [
      String(name).replace(/^gatehouse-outpost-(local-)?|-[0-9a-f]{8}$/g, ""),
      (protocolProviders as number[]).map((id) => providers[id - 1]),
    ]);
    expect(served).toEqual([
      ["all-users", ["shop-mesh", "blog-mesh"]],
      ["staff", ["wiki-mesh"]],
    ]);
  });

  test("contain their list of providers: without attachment, blueprint record or lookup of the embedded outpost", () => {
    expect(recorder.resources.filter(({ type }) => /outpostProviderAttachment|blueprint/i.test(type))).toEqual([]);
    expect(recorder.calls.filter((call) => call.startsWith("getOutpost"))).toEqual([]);
  });

  test("have a record with the browsers' origin, and the token of the account that authentik creates for it", () => {
    for (const [index, record] of records().entries()) {
      const name = String(record["name"]);
      expect(record).toEqual({
        name,
        type: "proxy",
        protocolProviders: record["protocolProviders"],
        config: JSON.stringify({ authentik_host: browserUrl, refresh_interval: "minutes=1" }),
      });
      expect(recorder.calls).toContain(`getUser {"username":"ak-outpost-${index + 1}"}`);
      expect(recorder.one("authentik:index/token:Token", `${name}-token`).inputs).toEqual({
        identifier: `${name}-token`,
        user: 4711,
        intent: "api",
        expiring: false,
        retrieveKey: true,
      });
    }
  });

  test("run as one restricted pod each, with writable memory for the sessions", () => {
    for (const { name } of records()) {
      const { spec } = recorder.objects<Pods>("apps/v1:Deployment").get(`${namespace}/${String(name)}`) ?? {};
      const pod = spec?.template.spec;
      expect([spec?.replicas, pod?.containers.length]).toEqual([1, 1]);
      expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
      expect(pod?.volumes).toEqual([{ name: "dev-shm", emptyDir: { medium: "Memory", sizeLimit: "256Mi" } }]);
      const probe = (seconds: object) => ({
        httpGet: {
          path: "/outpost.goauthentik.io/ping",
          port: 9000,
        },
        periodSeconds: 10,
        timeoutSeconds: 3,
        ...seconds,
      });
      expect(pod?.containers[0]).toMatchObject({
        image: "ghcr.io/goauthentik/proxy:2026.5.7",
        env: [
          { name: "AUTHENTIK_LISTEN__HTTP", value: "0.0.0.0:9000" },
          { name: "AUTHENTIK_LISTEN__HTTPS", value: "0.0.0.0:9443" },
          { name: "AUTHENTIK_LISTEN__METRICS", value: "0.0.0.0:9300" },
          { name: "TMPDIR", value: "/dev/shm" },
        ],
        ports: [
          { name: "http", containerPort: 9000 },
          { name: "metrics", containerPort: 9300 },
        ],
        startupProbe: probe({ failureThreshold: 60 }),
        readinessProbe: probe({ failureThreshold: 3 }),
        livenessProbe: probe({ failureThreshold: 3 }),
        volumeMounts: [{ name: "dev-shm", mountPath: "/dev/shm" }],
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
          readOnlyRootFilesystem: true,
        },
      });
    }
  });

  test("read the server's address and their token from an immutable Secret", () => {
    for (const { name } of records()) {
      const secret = recorder.one("kubernetes:core/v1:Secret", `${String(name)}-environment`).inputs;
      expect(secret).toMatchObject({ metadata: { namespace }, immutable: true });
      expect(secret["stringData"]).toEqual({
        AUTHENTIK_HOST: serverUrl,
        AUTHENTIK_HOST_BROWSER: browserUrl,
        AUTHENTIK_TOKEN: `key-of-${String(name)}-token`,
        AUTHENTIK_INSECURE: "false",
      });
    }
  });

  test("have a Service each, which forward auth requests by its cluster IP", () => {
    const middlewares = recorder.objects<{ spec: { forwardAuth: { address: string } } }>(
      "traefik.io/v1alpha1:Middleware",
    );
    for (const { name } of records()) {
      const app = String(name);
      expect(recorder.objects("core/v1:Service").get(`${namespace}/${app}`)).toMatchObject({
        spec: { selector: { "app.kubernetes.io/name": app }, ports: [{ port: 9000, targetPort: 9000 }] },
      });
      expect(middlewares.get(`default/${app}-forward-auth`)?.spec.forwardAuth.address).toBe(
        "http://127.96.0.9:9000/outpost.goauthentik.io/auth/traefik",
      );
    }
  });

  test("have the sign-in pages in their namespace", () => {
    const name = `${namespace}/gatehouse-sign-in-pages`;
    expect(recorder.objects("core/v1:Service").has(name)).toBe(true);
    const pod = recorder.objects<Pods>("apps/v1:Deployment").get(name)?.spec.template.spec;
    const [container] = pod?.containers ?? [];
    expect(container).toMatchObject({ image: "node:24-alpine", command: ["node", "/app/server.mjs"] });
    const files = recorder.one("kubernetes:core/v1:ConfigMap", "outposts-pages-files").inputs;
    const server = expect.stringContaining("/healthz") as unknown;
    expect(files).toMatchObject({ metadata: { namespace }, immutable: true, data: { "server.mjs": server } });
    expect(
      recorder.objects<Spec>("traefik.io/v1alpha1:Middleware").get(`${namespace}/gatehouse-sign-in-error`),
    ).toEqual(
      expect.objectContaining({
        spec: {
          errors: {
            status: ["400"],
            statusRewrites: { "400": 200 },
            service: { name: "gatehouse-sign-in-pages", namespace, port: 9000, nativeLB: true },
            query: "/sign-in-error?url={url}",
          },
        },
      }),
    );
  });

  test("accept connections from the gateway only, or from their own namespace where the server is there, too", () => {
    const policies = recorder.objects<Spec>("networking.k8s.io/v1:NetworkPolicy");
    const policy = policies.get(`${namespace}/${title === "installed" ? "authentik" : "gatehouse-outposts"}`);
    const own = { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "authentik" } } };
    expect(policy?.spec).toEqual({
      podSelector: { matchLabels: {} },
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [gatewayIn("kube-system"), ...(title === "installed" ? [own] : [])],
          ports: [{ protocol: "TCP", port: 9000 }],
        },
      ],
    });
    expect([...recorder.objects("core/v1:Namespace").keys()]).toContain(`/${namespace}`);
  });
});

test(
  "creates no outposts, namespace or pages for a stack without forward auth and with an existing identity provider",
  async () => {
    const identity_provider = { install: false, url: "https://sso.example.org", token: "${TOKEN}" };
    const recorder = await deploy(stack({ protected_services: [], identity_provider, data_api: undefined }));
    const types = ["apps/v1:Deployment", "core/v1:Namespace", "core/v1:Service", "networking.k8s.io/v1:NetworkPolicy"];
    expect(types.flatMap((type) => recorder.of(`kubernetes:${type}`))).toEqual([]);
    expect(recorder.of(OUTPOST)).toEqual([]);
  },
  PATIENCE,
);

test(
  "lists each provider once in several outposts of one combination, within their capacity",
  async () => {
    const recorder = await deploy(small(6, 2));
    const lists = recorder.of(OUTPOST).map(({ inputs }) => inputs["protocolProviders"] as number[]);
    expect(lists.length).toBeGreaterThan(2);
    expect(lists.filter(({ length }) => length > 2)).toEqual([]);
    expect(lists.flat().sort()).toEqual(recorder.of(PROVIDER).map((_, index) => index + 1));
  },
  PATIENCE,
);

test(
  "creates the same number of resources for each added service",
  async () => {
    const counts: number[] = [];
    for (const count of [2, 3, 4]) counts.push((await deploy(small(count, 100))).resources.length);
    const [two = 0, three = 0, four = 0] = counts;
    // Provider, application, two routes.
    expect([three - two, four - three]).toEqual([4, 4]);
  },
  PATIENCE,
);
