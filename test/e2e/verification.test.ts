/**
 * The job that verifies the deployment from inside the cluster: it passes, exports metrics, and detects a route without its middlewares and an
 * application that admits users outside of its groups.
 */
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { BatchV1Api, CoreV1Api, CustomObjectsApi, type V1JobSpec } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { main } from "../../ops/commands/verify.ts";
import { KINDS } from "../../ops/checks/verify/hints.ts";
import { verifyContext } from "../../ops/checks/verify/verify.ts";
import { Administrator } from "../domains/administrator.ts";
import { SHELL } from "../helpers/shell.ts";
import { clusterConfig, origin } from "./fixtures.ts";

const NAMESPACE = "gatehouse-verification";
const ROUTE = {
  group: "traefik.io",
  version: "v1alpha1",
  namespace: "default",
  plural: "ingressroutes",
  name: "whoami",
};
const METRICS = /^(gatehouse_\w+(?:\{[^}]*\})?) ([\d.e+]+)$/gm;

interface RouteRules {
  readonly spec: { readonly routes: readonly { readonly middlewares?: unknown[] }[] };
}

/** Requests to the receiver: request line, metrics by name, and body. */
const received: { request: string; metrics: Map<string, number>; text: string }[] = [];
let receiver: Server;
let batch: BatchV1Api;
let core: CoreV1Api;
let objects: CustomObjectsApi;
let administrator: Administrator;

beforeAll(async () => {
  const config = clusterConfig();
  [batch, core, objects] = [BatchV1Api, CoreV1Api, CustomObjectsApi].map((api) =>
    config.makeApiClient(api as never),
  ) as [BatchV1Api, CoreV1Api, CustomObjectsApi];
  administrator = new Administrator(origin("authentik"), inject("platform").variables["AUTHENTIK_TOKEN"] ?? "");
  receiver = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      const metrics = new Map(Array.from(text.matchAll(METRICS), ([, name = "", value]) => [name, Number(value)]));
      received.push({ request: `${request.method} ${request.url}`, metrics, text });
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  await administrator.close();
  await new Promise((resolve) => receiver.close(resolve));
});

/** Runs the job as `kubectl create job --from=cronjob/gatehouse-verify` does, with a Pushgateway. @returns its condition and its output */
async function runJob(): Promise<{ end: string; lines: Record<string, unknown>[]; text: string }> {
  const { spec } = await batch.readNamespacedCronJob({ name: "gatehouse-verify", namespace: NAMESPACE });
  const jobSpec = structuredClone(spec?.jobTemplate.spec) as V1JobSpec;
  const [container] = jobSpec.template.spec?.containers ?? [];
  const { port } = receiver.address() as AddressInfo;
  container?.env?.push({ name: "PUSHGATEWAY", value: `http://127.0.0.1:${port}` });
  const body = { metadata: { generateName: "by-hand-" }, spec: jobSpec };
  const { metadata: { name = "" } = {} } = await batch.createNamespacedJob({ namespace: NAMESPACE, body });
  const end = await vi.waitFor(
    async () => {
      const { status } = await batch.readNamespacedJob({ name, namespace: NAMESPACE });
      const ended = status?.conditions?.find(
        ({ type, status: is }) => /^(Complete|Failed)$/.test(type) && is === "True",
      );
      if (!ended) throw new Error(`job ${name} has not ended`);
      return ended.type;
    },
    { timeout: 240_000, interval: 500 },
  );
  const text = await logOf(name);
  return {
    end,
    text,
    lines: text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

/** Returns the output of the job's pod from the agent's file: the local API server has no kubelet to read logs from. */
async function logOf(job: string): Promise<string> {
  const pods = await core.listNamespacedPod({ namespace: NAMESPACE, labelSelector: `job-name=${job}` });
  const [pod] = pods.items;
  return readFileSync(join(inject("platform").data, "logs", "pods", `${NAMESPACE}_${pod?.metadata?.name}.log`), "utf8");
}

/** Returns every secret of the stack and the password of the job's service account. */
async function secrets(): Promise<string[]> {
  const { data = {} } = await core.readNamespacedSecret({ name: "verifier-account", namespace: NAMESPACE });
  const password = Buffer.from(data["PASSWORD"] ?? "", "base64").toString();
  expect(password.length).toBeGreaterThan(10);
  return [password, ...Object.values(inject("platform").variables)];
}

describe("the verification job", () => {
  test("has its schedule, and runs as a non-root user without a token", async () => {
    const { spec } = await batch.readNamespacedCronJob({ name: "gatehouse-verify", namespace: NAMESPACE });
    expect(spec?.schedule).toBe("17 4 1 1 *");
    expect(spec?.jobTemplate.spec?.template.spec).toMatchObject({
      serviceAccountName: "gatehouse-verify",
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true },
    });
  });

  test("passes, and pushes its result as metrics", async () => {
    const began = Math.floor(Date.now() / 1000);
    const { end, lines, text } = await runJob();
    expect({ end, failed: lines.filter(({ state }) => state === "failed") }).toEqual({ end: "Complete", failed: [] });
    const summary = lines.at(-1);
    expect(summary).toMatchObject({ level: "info", event: "summary", stack: "local", failed: 0 });
    const { request, metrics } = received.at(-1) ?? { request: "", metrics: new Map<string, number>() };
    expect(request).toBe("POST /metrics/job/gatehouse_verify/stack/local");
    expect(metrics.get('gatehouse_verify_checks{state="failed"}')).toBe(0);
    expect(metrics.get('gatehouse_verify_checks{state="passed"}')).toBe(summary?.["passed"]);
    expect(metrics.get('gatehouse_verify_checks{state="skipped"}')).toBe(summary?.["skipped"]);
    const [ran = 0, success = 1] = ["run", "success"].map((what) =>
      metrics.get(`gatehouse_verify_last_${what}_timestamp_seconds`),
    );
    expect(success).toBe(ran);
    expect(ran).toBeGreaterThanOrEqual(began);
    expect(ran).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
    expect(metrics.get("gatehouse_verify_duration_seconds")).toBeGreaterThan(0);
    expect(
      (await secrets()).filter((secret) => text.includes(secret) || (received.at(-1)?.text ?? "").includes(secret)),
    ).toEqual([]);
  });

  test("signs in with its service account, and reports the skipped sign-ins", async () => {
    const { lines } = await runJob();
    const skipped = lines.filter(({ state, kind }) => state === "skipped" && kind === "sign-in");
    expect(skipped.map(({ subject, detail }) => `${new URL(subject as string).hostname}: ${detail as string}`)).toEqual(
      [
        "notes.localhost: the application has its own login page, and there is no sample user in its groups",
        'legacy.localhost: the password of "legacy" is not known here',
        'whoami-legacy.localhost: the password of "legacy" is not known here',
      ],
    );
  });

  test("fails while a route has no middlewares, and passes after they are restored", async () => {
    const route = (await objects.getNamespacedCustomObject(ROUTE)) as RouteRules;
    const open = route.spec.routes.map((rule) => ({ ...rule, middlewares: [] }));
    await setRules(open);
    try {
      await vi.waitFor(async () => expect(await main(["gatehouse-local", "--only", "routes"], shell())).toBe(1), {
        timeout: 240_000,
        interval: 500,
      });
      const { end, lines } = await runJob();
      expect(end).toBe("Failed");
      const failed = lines.filter(({ state }) => state === "failed");
      expect(new Set(failed.map(({ subject }) => new URL(subject as string).hostname))).toEqual(
        new Set(["whoami.localhost"]),
      );
      expect(failed.map(({ kind }) => kind)).toContain("routes");
      expect(failed.find(({ kind }) => kind === "routes")).toMatchObject({ detail: "expected status 302, got 200" });
      const { metrics } = received.at(-1) ?? { metrics: new Map<string, number>() };
      expect(metrics.get('gatehouse_verify_checks{state="failed"}')).toBe(failed.length);
      expect(metrics.has("gatehouse_verify_last_success_timestamp_seconds")).toBe(false);
    } finally {
      await setRules(route.spec.routes);
    }
    await vi.waitFor(async () => expect(await main(["gatehouse-local", "--only", "routes"], shell())).toBe(0), {
      timeout: 240_000,
      interval: 500,
    });
    expect((await runJob()).end).toBe("Complete");
  });
});

/** Changes by hand in authentik with which an application admits users outside of its groups; each returns how it is undone. */
const OPENED: readonly (readonly [string, (application: string) => Promise<() => Promise<unknown>>])[] = [
  [
    "a disabled binding",
    async (target) => {
      const [binding] = await administrator.all<{ pk: string; policy: string }>("/policies/bindings/", { target });
      const set = (enabled: boolean): Promise<unknown> =>
        administrator.call("PATCH", `/policies/bindings/${binding?.pk}/`, { target, policy: binding?.policy, enabled });
      await set(false);
      return () => set(true);
    },
  ],
  [
    "a second binding",
    async (target) => {
      const [group] = await administrator.all<{ pk: string }>("/core/groups/", { name: "staff" });
      const binding = { target, group: group?.pk, order: 1 };
      const { pk } = await administrator.call<{ pk: string }>("POST", "/policies/bindings/", binding);
      return () => administrator.call("DELETE", `/policies/bindings/${pk}/`);
    },
  ],
];

describe.each(OPENED)("an application with %s", (_, open) => {
  test("fails the verification with a service account, in the cluster and outside of it, until it is restored", async () => {
    const [application] = await administrator.all<{ pk: string }>("/core/applications/", {
      slug: "admin-localhost",
      superuser_full_list: "true",
    });
    const restore = await open(application?.pk ?? "");
    const detail =
      'expected invalid_grant from the identity provider, got a token: application "admin-localhost" of the service "admin" admits users outside of its groups (admins)';
    try {
      const { code, failed } = await verifyAsMachine();
      expect([code, failed]).toEqual([1, [{ subject: origin("admin"), detail }]]);
      const { end, lines } = await runJob();
      const hint = expect.stringContaining("npx gatehouse deploy with --refresh") as string;
      expect([end, lines.filter(({ state }) => state === "failed")]).toMatchObject([
        "Failed",
        [{ check: `verifier is denied at ${origin("admin")}`, detail, hint }],
      ]);
    } finally {
      await restore();
    }
    expect(await verifyAsMachine()).toEqual({ code: 0, failed: [] });
    expect((await runJob()).end).toBe("Complete");
  });
});

/** Runs the command as for a stack with remote domains, which has no sample users. */
async function verifyAsMachine(): Promise<{ code: number; failed: { subject: string; detail: string }[] }> {
  let json = "";
  const code = await main(
    ["gatehouse-local", "--only", "sign-in", "--json"],
    shell((part) => (json += part)),
    ({ settings, ...context }, ...rest) => {
      const identityProvider = { ...settings.identityProvider, sampleUsers: [] };
      return verifyContext({ ...context, settings: { ...settings, identityProvider } }, ...rest);
    },
  );
  const { checks } = JSON.parse(json) as { checks: { state: string; subject: string; detail: string }[] };
  const failed = checks.filter(({ state }) => state === "failed");
  return { code, failed: failed.map(({ subject, detail }) => ({ subject, detail })) };
}

describe("npx gatehouse verify", () => {
  test("runs every kind of check, counts skipped ones, and writes no secret in any format", async () => {
    const { data } = inject("platform");
    const junit = join(data, "verify.xml");
    let [text, json] = ["", ""];
    expect(
      await main(
        ["gatehouse-local", "--junit", junit],
        shell((part) => (text += part)),
      ),
    ).toBe(0);
    expect(
      await main(
        ["gatehouse-local", "--json"],
        shell((part) => (json += part)),
      ),
    ).toBe(0);
    const report = JSON.parse(json) as {
      summary: Record<string, number>;
      checks: { kind: string; state: string; subject: string }[];
    };
    expect(new Set(report.checks.map(({ kind }) => kind))).toEqual(
      new Set(KINDS.filter((kind) => kind !== "certificates")),
    );
    const skipped = report.checks.filter(({ state }) => state === "skipped").map(({ subject }) => subject);
    expect(skipped).toEqual(["domain mesh", "domain external"]);
    expect(report.summary).toEqual({ passed: report.checks.length - 2, failed: 0, skipped: 2 });
    expect(text).toContain(`${report.checks.length - 2} passed, 2 skipped`);
    const forms = [text, json, readFileSync(junit, "utf8")];
    expect((await secrets()).filter((secret) => forms.some((form) => form.includes(secret)))).toEqual([]);
  });
});

async function setRules(routes: RouteRules["spec"]["routes"]): Promise<void> {
  const body = [{ op: "replace", path: "/spec/routes", value: routes }];
  await objects.patchNamespacedCustomObject({ ...ROUTE, body });
}

function shell(out: (text: string) => void = () => undefined): Parameters<typeof main>[1] {
  const { data } = inject("platform");
  return { ...SHELL, data, environment: process.env, out, error: (text) => expect.fail(text) };
}
