import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parseStack } from "../../config/load.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import { bundleProblem, readBundle } from "../../infra/verification/bundle.ts";
import { outsideTarget } from "../../infra/verification/outsideTarget.ts";
import type { JobTarget } from "../../infra/verification/target.ts";
import { sections, shell, stack } from "../config/stacks.ts";
import { canary, deploy, PATIENCE } from "../helpers/program.ts";
import type { Recorder } from "../helpers/recorder.ts";
import { gatewayIn } from "../helpers/networkPolicy.ts";

const NAME = "gatehouse-verification/gatehouse-verify";
const RAW = stack({
  identity_provider: {
    ...sections.identity_provider,
    service_accounts: [{ name: "verifier", namespace: "gatehouse-verification", groups: ["staff"] }],
  },
  verification: { schedule: "5 * * * *", account: "verifier", pushgateway: "http://push.monitoring:9091" },
});

interface JobObject {
  readonly spec: {
    readonly schedule: string;
    readonly concurrencyPolicy: string;
    readonly jobTemplate: {
      readonly spec: { readonly backoffLimit: number; readonly template: { readonly spec: PodSpec } };
    };
  };
}
interface PodSpec {
  readonly containers: readonly Record<string, unknown>[];
}

describe("the verification job under mocks", () => {
  let recorder: Recorder;
  beforeAll(async () => {
    recorder = await deploy(RAW);
  }, PATIENCE);
  const job = () => recorder.objects<JobObject>("batch/v1:CronJob").get(NAME)?.spec;
  const pod = () => job()?.jobTemplate.spec.template.spec;

  test("runs on schedule, one at a time, without retries", () => {
    const { schedule, concurrencyPolicy, jobTemplate } = job() ?? {};
    expect({ schedule, concurrencyPolicy, retries: jobTemplate?.spec.backoffLimit }).toEqual({
      schedule: "5 * * * *",
      concurrencyPolicy: "Forbid",
      retries: 0,
    });
  });

  test("runs as a restricted pod with a separate account, without a token", () => {
    expect(pod()).toMatchObject({
      serviceAccountName: "gatehouse-verify",
      automountServiceAccountToken: false,
      restartPolicy: "Never",
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [{ securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } } }],
    });
    expect(recorder.objects("core/v1:ServiceAccount").get(NAME)).toMatchObject({ automountServiceAccountToken: false });
    expect(recorder.of("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")).toEqual([]);
  });

  test("has its account from its Secret alone, and the address of its Pushgateway", () => {
    const [{ env, envFrom, command } = { env: [], envFrom: [], command: [] }] = pod()?.containers ?? [];
    expect({ env, envFrom, command }).toEqual({
      env: [
        { name: "TARGET", value: "/app/target.json.gz" },
        { name: "PUSHGATEWAY", value: "http://push.monitoring:9091" },
      ],
      envFrom: [{ secretRef: { name: "verifier-account" } }],
      command: ["node", "--disable-warning=DEP0169", "/app/start.mjs"],
    });
    const account = recorder.objects("core/v1:Secret").get("gatehouse-verification/verifier-account");
    expect(account).toMatchObject({ stringData: { USERNAME: "verifier" } });
  });

  test("receives the plan without a secret", () => {
    const { inputs } = recorder.one("kubernetes:core/v1:ConfigMap", "verification-files");
    const files = inputs["binaryData"] as Record<string, string>;
    const text = gunzipSync(Buffer.from(files["target.json.gz"] ?? "", "base64")).toString();
    const settings = parseStack({ ...RAW, stack: "local" }, shell);
    const target: JobTarget = { ...outsideTarget(settings, computePlan(settings)), groups: ["staff"] };
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(target)));
    for (const variable of Object.keys(shell)) expect(text).not.toContain(canary(variable));
    expect(Object.keys(files).sort()).toEqual(["start.mjs", "target.json.gz", "verify.mjs.br"]);
  });

  test("connects to the gateway, to the ports of the plan and to the Pushgateway, and accepts no connections", () => {
    const policy = recorder.objects<{ spec: object }>("networking.k8s.io/v1:NetworkPolicy").get(NAME);
    const tcp = (port: number) => ({ protocol: "TCP", port });
    expect(policy?.spec).toEqual({
      podSelector: {
        matchLabels: { "app.kubernetes.io/name": "gatehouse-verify", "app.kubernetes.io/part-of": "gatehouse" },
      },
      policyTypes: ["Ingress", "Egress"],
      egress: [
        { ports: [{ protocol: "UDP", port: 53 }, tcp(53)] },
        { to: [gatewayIn("kube-system")] },
        { ports: [tcp(80), tcp(443), tcp(9091)] },
      ],
    });
  });
});

test("fits into a ConfigMap with 1,000 services on three domains", () => {
  const services = Array.from({ length: 1000 }, (_, i) => ({
    name: `service-number-${i}`,
    type: "proxy",
    description: "One of many",
    domains: "auto",
    application_slug: `service-number-${i}`,
    groups: ["staff", "admins"],
  }));
  const settings = parseStack(stack({ protected_services: services }), shell);
  const text = JSON.stringify(outsideTarget(settings, computePlan(settings)));
  // The program has some 380 kB of the 1 MiB.
  expect(text.length).toBeGreaterThan(1_048_576);
  expect(gzipSync(text).length).toBeLessThan(500_000);
});

describe("its build", () => {
  const SOURCES = ["ops/clients/http.ts", "infra/plan/plan.ts"];
  let project: string;
  const file = (path: string, seconds: number): void => {
    mkdirSync(join(project, dirname(path)), { recursive: true });
    writeFileSync(join(project, path), path);
    utimesSync(join(project, path), seconds, seconds);
  };
  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), "gatehouse-bundle-"));
    for (const path of ["ops/checks/verify/job/start.js", ...SOURCES]) file(path, 1000);
  });
  afterEach(() => rmSync(project, { recursive: true }));

  test("is refused if it is missing", () => {
    expect(() => readBundle(project)).toThrow("the verification job is not built; run: npm run build:verify");
  });

  test("is refused if it is older than its sources", () => {
    const dist = "ops/checks/verify/job/dist";
    file(`${dist}/verify.mjs.br`, 2000);
    writeFileSync(join(project, `${dist}/sources.json`), JSON.stringify(SOURCES));
    expect(bundleProblem(project)).toBeUndefined();
    expect(readBundle(project)["start.mjs"].toString()).toBe("ops/checks/verify/job/start.js");
    file("infra/plan/plan.ts", 3000);
    expect(bundleProblem(project)).toBe("the verification job is older than its sources");
    file("infra/plan/plan.ts", 1000);
    rmSync(join(project, "ops/clients/http.ts"));
    expect(bundleProblem(project)).toBe("the verification job is older than its sources");
  });
});
