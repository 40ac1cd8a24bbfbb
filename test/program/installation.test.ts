import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Servers } from "../../infra/servers.ts";
import { proxy, sections, stack } from "../config/stacks.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";
import type { Recorder } from "../helpers/recorder.ts";

/** The calls of `waitUntilReady`. */
let waits: unknown[][] = [];
/** Servers of a machine whose provider plugins resolve these names. */
const serversWith = (...resolved: string[]): Partial<Servers> => ({
  pluginsResolve: (host) => Promise.resolve(resolved.includes(host)),
  waitUntilReady: (...call) => Promise.resolve(void waits.push(call)),
});

interface Spec {
  readonly spec: Readonly<Record<string, unknown>>;
}
interface Pods {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly object[]; readonly volumes: readonly object[] };
    };
  };
}
interface Blueprints {
  readonly metadata: { readonly namespace: string; readonly name?: string };
  readonly immutable: boolean;
  readonly data: Readonly<Record<string, string>>;
}

describe("an installed identity provider", () => {
  let recorder: Recorder;
  const pod = (role: string) =>
    recorder.objects<Pods>("apps/v1:Deployment").get(`authentik/authentik-${role}`)?.spec.template.spec;
  const blueprints = () => recorder.one("kubernetes:core/v1:ConfigMap", "authentik-blueprints").inputs;

  beforeAll(async () => {
    waits = [];
    recorder = await deploy(
      stack({
        protected_services: [proxy({})],
        identity_provider: { ...sections.identity_provider, session: "hours=8" },
        data_api: undefined,
      }),
      serversWith(),
    );
  }, PATIENCE);

  test("gets the session length by a blueprint file, in an immutable ConfigMap that is named anew on a change", () => {
    const { metadata, immutable, data } = blueprints() as unknown as Blueprints;
    expect([metadata, immutable, Object.keys(data)]).toEqual([{ namespace: "authentik" }, true, ["settings.yaml"]]);
    expect(parse(data["settings.yaml"] ?? "")).toEqual({
      version: 1,
      metadata: { name: "gatehouse-settings" },
      entries: ["authentication", "source-authentication", "source-enrollment"].map((flow) => ({
        model: "authentik_stages_user_login.userloginstage",
        identifiers: { name: `default-${flow}-login` },
        attrs: { session_duration: "hours=8" },
      })),
    });
  });

  test("mounts the blueprint into the worker only", () => {
    const mount = { name: "blueprints-gatehouse", mountPath: "/blueprints/gatehouse", readOnly: true };
    expect(pod("worker")?.containers[0]).toMatchObject({
      volumeMounts: expect.arrayContaining([mount]) as unknown,
    });
    expect(pod("worker")?.volumes.at(-1)).toMatchObject({
      name: "blueprints-gatehouse",
      configMap: { items: [{ key: "settings.yaml", path: "settings.yaml" }] },
    });
    expect(JSON.stringify(pod("server"))).not.toContain("blueprints");
  });

  test("waits for the path and SHA-512 of the blueprint, up to 20 minutes", () => {
    const { data } = blueprints() as unknown as Blueprints;
    const hash = createHash("sha512")
      .update(data["settings.yaml"] ?? "")
      .digest("hex");
    const blueprint = expect.objectContaining({ path: "gatehouse/settings.yaml", hash }) as unknown;
    const expected = { version: "2026.5.7", blueprint, groups: [], timeout: 1_200_000 };
    expect(waits).toEqual([["http://127.0.0.1:9000", "canary-token", expected, expect.any(Function)]]);
  });

  test("listens on IPv4, and writes to /dev/shm in memory and /tmp only, so that authentik refuses uploads instead of losing them", () => {
    for (const role of ["server", "worker"]) {
      expect(pod(role)?.containers[0]).toMatchObject({
        image: "ghcr.io/goauthentik/server:2026.5.7",
        args: [role],
        env: [
          { name: "AUTHENTIK_LISTEN__HTTP", value: "0.0.0.0:9000" },
          { name: "AUTHENTIK_LISTEN__HTTPS", value: "0.0.0.0:9443" },
          { name: "AUTHENTIK_LISTEN__METRICS", value: "0.0.0.0:9300" },
          { name: "TMPDIR", value: "/dev/shm" },
        ],
        securityContext: { readOnlyRootFilesystem: true },
      });
      expect(pod(role)?.volumes.filter((volume) => "emptyDir" in volume)).toEqual([
        { name: "dev-shm", emptyDir: { medium: "Memory", sizeLimit: "256Mi" } },
        { name: "tmp", emptyDir: {} },
      ]);
    }
  });

  test("restarts a worker process of the server after 50,000 requests, since each restart fails some", () => {
    const { stringData } = recorder.one("kubernetes:core/v1:Secret", "authentik-environment").inputs;
    expect(stringData).toMatchObject({
      AUTHENTIK_WEB__MAX_REQUESTS: "50000",
      AUTHENTIK_WEB__MAX_REQUESTS_JITTER: "5000",
    });
  });

  test("has the probes of the Helm chart, with 20 minutes to start", () => {
    const times = { periodSeconds: 10, timeoutSeconds: 3 };
    const probes = (ready: object, live: object) => ({
      startupProbe: { ...live, ...times, failureThreshold: 120 },
      readinessProbe: { ...ready, ...times, failureThreshold: 3 },
      livenessProbe: { ...live, ...times, failureThreshold: 3 },
    });
    const http = (name: string) => ({ httpGet: { path: `/-/health/${name}/`, port: 9000 } });
    const exec = { exec: { command: ["ak", "healthcheck"] } };
    expect(pod("server")?.containers[0]).toMatchObject(probes(http("ready"), http("live")));
    expect(pod("worker")?.containers[0]).toMatchObject(probes(exec, exec));
  });

  test("permits one unavailable pod of server and worker at a time when a node is drained", () => {
    const budgets = recorder.objects<Spec>("policy/v1:PodDisruptionBudget");
    expect([...budgets.keys()]).toEqual(["authentik/authentik-server", "authentik/authentik-worker"]);
    for (const [place, { spec }] of budgets) {
      const app = place.replace("authentik/", "");
      const matchLabels = { "app.kubernetes.io/name": app, "app.kubernetes.io/part-of": "gatehouse" };
      expect(spec).toEqual({ maxUnavailable: 1, selector: { matchLabels } });
    }
  });
});

describe("the address of the API", () => {
  const identity_provider = { ...sections.identity_provider, api_url: undefined };
  const mesh = { enabled: true, base_domain: "mesh.example.org", tls: { resolver: "letsencrypt" } };
  const authentik = "authentik.localhost";
  test.each<[string, Record<string, unknown>, object, string, string[]?]>([
    ["api_url, where it is set", { localhost: {} }, { api_url: "http://10.0.0.7" }, "http://10.0.0.7", [authentik]],
    ["the cluster IP of the Service, with localhost only", { localhost: {} }, {}, "http://127.96.0.9:9000"],
    ["the URL on localhost, where the plugins resolve it", { localhost: {} }, {}, `http://${authentik}`, [authentik]],
    [
      "the public URL, with another domain",
      { localhost: { enabled: false }, mesh },
      {},
      "https://authentik.mesh.example.org",
    ],
  ])(
    "is %s",
    async (_, domains, fields, expected, names = []) => {
      waits = [];
      const raw = stack({
        domains,
        protected_services: [],
        identity_provider: { ...identity_provider, ...fields },
        data_api: undefined,
      });
      const recorder = await deploy(raw, serversWith(...names));
      expect(recorder.one("pulumi:providers:authentik", "authentik").inputs["url"]).toBe(expected);
      expect(waits.map(([url]) => url)).toEqual([expected]);
    },
    PATIENCE,
  );
});
