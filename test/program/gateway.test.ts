import { beforeAll, describe, expect, test } from "vitest";
import { IDENTITY_HEADERS, identityHeaderSpellings, spellings } from "../../infra/identity/headers.ts";
import { basic, proxy, stack } from "../config/stacks.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";
import type { Recorder } from "../helpers/recorder.ts";
import { gatewayIn } from "../helpers/networkPolicy.ts";

const domain = (base_domain: string, fields: object) => ({ enabled: true, base_domain, ...fields });
const DOMAINS = {
  localhost: {},
  mesh: domain("mesh.example.org", { targets: ["203.0.113.7", "2001:db8::7", "203.0.113.8"], port: 8443 }),
  external: domain("example.org", { tls: { resolver: "letsencrypt" }, targets: ["gateway.example.net"] }),
  partner: domain("partner.org", { tls: { secret: "partner" }, protocol: "https", description: "Partner" }),
  edge: domain("edge.org", { tls: "upstream", protocol: "https", description: "Behind a proxy" }),
};

interface Spec {
  readonly spec: Readonly<Record<string, unknown>>;
}

describe("the gateway under mocks", () => {
  let recorder: Recorder;
  const spec = (kind: string, name: string) =>
    recorder.objects<Spec>(`traefik.io/v1alpha1:${kind}`).get(`default/${name}`)?.spec;

  beforeAll(async () => {
    recorder = await deploy(
      stack({
        domains: DOMAINS,
        protected_services: [proxy({}), basic({ domains: "auto" })],
        gateway: { version: "3.7.13", namespace: "ingress", service: "edge-proxy" },
        test_environments: { install: true },
        data_api: undefined,
      }),
    );
  }, PATIENCE);

  test("removes every spelling of every identity header, ours and authentik's, path overrides, and headers that Traefik does not remove", () => {
    const dashed = ["X-Original-URI", "X-Original-URL", "X-Rewrite-URL", "X-Script-Name"];
    const overrides = [...dashed.flatMap(spellings), "SCRIPT_NAME", "PATH_INFO"];
    const forwarded = ["For", "Host", "Method", "Port", "Prefix", "Proto", "Server", "Uri"].map(
      (part) => `X-Forwarded-${part}`,
    );
    // Traefik writes the dashed ones itself.
    const aliases = [...forwarded, "X-Real-Ip"].flatMap((name) =>
      spellings(name).filter((spelling) => spelling !== name),
    );
    const names = [...identityHeaderSpellings(), ...overrides, "Forwarded", ...aliases, "HTTP2-Settings"];
    expect([names.length, new Set(names).size]).toEqual([234, 234]);
    const { headers } = spec("Middleware", "gatehouse-strip") as { headers: { customRequestHeaders: object } };
    const emptied = Object.entries(headers.customRequestHeaders);
    expect(emptied.map(([name, value]) => [name.toLowerCase(), value as unknown]).sort()).toEqual(
      names.map((name) => [name.toLowerCase(), ""]).sort(),
    );
    // Traefik would convert any other form for each request.
    expect(emptied.filter(([name]) => !/^[A-Z][^A-Z-]*(-[A-Z][^A-Z-]*)*$/.test(name))).toEqual([]);
  });

  test("sends the outpost a fixed URL of a background request, because the outpost admits its own path", () => {
    expect(spec("Middleware", "gatehouse-background")).toEqual({
      headers: { customRequestHeaders: { "X-Original-URI": "/", "X-Original-URL": "" } },
    });
  });

  test("sets the protocol behind a proxy, and removes other headers that forward auth trusts", () => {
    const dropped = ["Host", "Method", "Uri", "Port", "Prefix"].map((part) => [`X-Forwarded-${part}`, ""] as const);
    expect(spec("Middleware", "gatehouse-upstream")).toEqual({
      headers: {
        customRequestHeaders: { ...Object.fromEntries(dropped), "X-Real-Ip": "", "X-Forwarded-Proto": "https" },
      },
    });
  });

  test("redirects HTTP to HTTPS permanently, with the port of the domain", () => {
    expect(spec("Middleware", "gatehouse-https")).toEqual({ redirectScheme: { scheme: "https", permanent: true } });
    expect(spec("Middleware", "gatehouse-https-8443")).toEqual({
      redirectScheme: { scheme: "https", permanent: true, port: "8443" },
    });
  });

  const asked = ["Cookie", "Authorization", "Accept", "User-Agent", "X-Requested-With"];
  test.each([
    ["", "traefik", false, asked],
    ["-401", "nginx", false, [...asked, "X-Original-URI"]],
    ["-upstream", "traefik", true, asked],
    ["-401-upstream", "nginx", true, [...asked, "X-Original-URI"]],
  ])(
    "configures the middleware forward-auth%s with the endpoint %s",
    (variant, endpoint, trustForwardHeader, authRequestHeaders) => {
      const name = new RegExp(`^default/gatehouse-outpost-all-users-[0-9a-f]{8}-forward-auth${variant}$`);
      const places = [...recorder.objects<Spec>("traefik.io/v1alpha1:Middleware")];
      const found = places.filter(([place]) => name.test(place)).map(([, middleware]) => middleware.spec);
      // Hosts over http and over https have different outposts.
      expect(found.length).toBe(variant.includes("upstream") ? 1 : 2);
      for (const middleware of found)
        expect(middleware).toEqual({
          forwardAuth: {
            address: `http://127.96.0.9:9000/outpost.goauthentik.io/auth/${endpoint}`,
            trustForwardHeader,
            authRequestHeaders,
            authResponseHeaders: [...IDENTITY_HEADERS],
            maxResponseBodySize: 1048576,
          },
        });
    },
  );

  test("configures basic auth with a Secret and a realm of its service, which passes the username and removes the password", () => {
    expect(spec("Middleware", "legacy-basic-auth")).toEqual({
      basicAuth: { secret: "legacy-basic-auth", realm: "legacy", headerField: "X-Idp-Username", removeHeader: true },
    });
    const secrets = recorder.objects<{ stringData: { users: string } }>("core/v1:Secret");
    expect(secrets.get("default/legacy-basic-auth")?.stringData.users).toMatch(/^ops:\$2b\$08\$[./\w]{53}$/);
  });

  test.each<[string, string, object]>([
    ["wiki", "web", {}],
    ["gatehouse-tls-wiki", "websecure", { tls: {} }],
    ["gatehouse-tls-wiki.resolver-letsencrypt", "websecure", { tls: { certResolver: "letsencrypt" } }],
    ["gatehouse-tls-wiki.secret-partner", "websecure", { tls: { secretName: "partner" } }],
  ])("terminates TLS on route %s where its domains do", (name, entryPoint, tls) => {
    const { routes, ...rest } = spec("IngressRoute", name) ?? {};
    expect(rest).toEqual({ entryPoints: [entryPoint], ...tls });
    const [rule] = routes as Record<string, unknown>[];
    expect(rule?.["services"]).toEqual([{ name: "wiki", namespace: "default", port: 80, nativeLB: true }]);
  });

  test("creates one DNSEndpoint for each domain with targets, with the owner", () => {
    const objects = recorder.objects<Record<"metadata" | "spec", unknown>>("externaldns.k8s.io/v1alpha1:DNSEndpoint");
    const endpoints = ["mesh", "external"].map((kind) => objects.get(`default/gatehouse-local-${kind}`));
    expect(objects.size).toBe(2);
    expect(endpoints.map((endpoint) => endpoint?.metadata)).toEqual(
      ["mesh", "external"].map((kind) => ({
        name: `gatehouse-local-${kind}`,
        namespace: "default",
        labels: { "gatehouse.dev/owner": "gatehouse-local" },
      })),
    );
    const labels = { owner: "gatehouse-local" };
    const hosts = (base: string) => ["authentik", "legacy", "wiki"].map((label) => `${label}.${base}`);
    const record = (dnsName: string, recordType: string, targets: string[]) => ({
      dnsName,
      recordType,
      targets,
      labels,
    });
    expect(endpoints.map((endpoint) => endpoint?.spec)).toEqual([
      {
        endpoints: hosts("mesh.example.org").flatMap((host) => [
          record(host, "A", ["203.0.113.7", "203.0.113.8"]),
          record(host, "AAAA", ["2001:db8::7"]),
        ]),
      },
      { endpoints: hosts("example.org").map((host) => record(host, "CNAME", ["gateway.example.net"])) },
    ]);
  });

  test("resolves *.localhost to the gateway for pods, by one key of the ConfigMap coredns-custom, applied as a patch", () => {
    expect(recorder.objects("core/v1:ConfigMap").has("kube-system/coredns-custom")).toBe(false);
    expect(recorder.of("kubernetes:core/v1:ConfigMapPatch").map(({ inputs }) => inputs)).toMatchObject([
      {
        metadata: { name: "coredns-custom", namespace: "kube-system" },
        data: {
          "gatehouse.override":
            "rewrite stop name regex (.*)\\.localhost\\.$ edge-proxy.ingress.svc.cluster.local answer auto\n",
        },
      },
    ]);
  });

  test("probes the echo service at a path whose response no request changes", () => {
    const { template } = recorder
      .objects<{ spec: { template: { spec: { containers: object[] } } } }>("apps/v1:Deployment")
      .get("default/whoami")?.spec ?? { template: undefined };
    expect(template?.spec.containers).toMatchObject([{ readinessProbe: { httpGet: { path: "/api", port: 8080 } } }]);
  });

  test("accepts connections to the echo service from the gateway only", () => {
    const policies = recorder.objects<Spec>("networking.k8s.io/v1:NetworkPolicy");
    expect(policies.get("default/whoami")?.spec).toEqual({
      podSelector: { matchLabels: { "app.kubernetes.io/name": "whoami", "app.kubernetes.io/part-of": "gatehouse" } },
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [gatewayIn("ingress")],
          ports: [{ protocol: "TCP", port: 8080 }],
        },
      ],
    });
  });
});

describe("options that are off", () => {
  test(
    "create no rewrite without localhost, no record without targets, no echo service unless installed",
    async () => {
      const mesh = domain("mesh.example.org", {});
      const recorder = await deploy(stack({ domains: { mesh }, protected_services: [proxy({})], data_api: undefined }));
      const types = new Set(recorder.resources.map(({ type }) => type));
      expect(types.has("kubernetes:core/v1:ConfigMapPatch")).toBe(false);
      expect(types.has("kubernetes:externaldns.k8s.io/v1alpha1:DNSEndpoint")).toBe(false);
      expect(recorder.objects("apps/v1:Deployment").has("default/whoami")).toBe(false);
    },
    PATIENCE,
  );
});

test(
  "gives resources different names if joining with dashes is ambiguous",
  async () => {
    const groups = ["eu-staff", "staff"];
    const eu = domain("eu.example.org", { protocol: "https", description: "Europe" });
    const recorder = await deploy(
      stack({
        domains: { localhost: {}, mesh: domain("mesh.example.org", {}), "mesh-eu": eu },
        protected_services: [proxy({ groups })],
        test_environments: { enabled: false },
        data_api: undefined,
      }),
    );
    const bindings = recorder.of("authentik:index/policyBinding:PolicyBinding").map(({ name }) => name);
    const wikis = bindings.filter((name) => name.startsWith("wiki-"));
    expect(wikis).toEqual(["wiki-localhost", "wiki-mesh", "wiki-mesh-eu"].map((slug) => `${slug}-binding`));
  },
  PATIENCE,
);
