import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parseStack, readStackFile } from "../../config/load.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import { deployedKinds } from "../../ops/checks/permissions.ts";
import { shell, stack } from "../config/stacks.ts";
import type { Recorder } from "../helpers/recorder.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";

const raw = readStackFile(join(import.meta.dirname, "../../Pulumi.local.yaml"), "local");
const observed = { value: { namespace: "monitoring", dashboard: true } };
const install = { kind: "cloudnativepg", monitoring: "monitoring" };
const operated = { value: { password: "${POSTGRES_PASSWORD}", install } };

describe.each([
  ["the local stack", raw],
  ["one that is observed", { ...raw, config: { ...raw.config, "gatehouse:observability": observed } }],
  ["one whose Postgres is monitored", { ...raw, config: { ...raw.config, "gatehouse:postgres": operated } }],
])("of %s", (_, stack) => {
  let recorder: Recorder;
  beforeAll(async () => {
    recorder = await deploy(stack);
  }, PATIENCE);

  test("asks for exactly the kinds of the objects that the program deploys", () => {
    const settings = parseStack(stack, {}, { secretsRequired: false });
    const asked = deployedKinds(settings, computePlan(settings)).map(
      ({ group, resource, namespace }) => `${group}/${resource} ${namespace ?? ""}`,
    );
    const deployed = recorder.resources.flatMap(({ type, inputs }) => kindOf(type, inputs));
    expect([...asked].sort()).toEqual([...new Set(deployed)].sort());
  });
});

test("requires only to read its Service for an existing identity provider", () => {
  const existing = { install: false, url: "https://sso.example.org", token: "${TOKEN}", service: { name: "server" } };
  const settings = parseStack(stack({ identity_provider: existing, data_api: undefined }), shell);
  const ofService = deployedKinds(settings, computePlan(settings)).filter(({ resource }) => resource === "services");
  expect(ofService.filter(({ namespace }) => namespace === "authentik")).toEqual([
    { group: "", resource: "services", namespace: "authentik", verbs: ["get"] },
  ]);
});

/** `apps/deployments authentik` of `kubernetes:apps/v1:Deployment`, as the API server calls it. */
function kindOf(type: string, inputs: Record<string, unknown>): string[] {
  const [, group = "", kind = ""] = /^kubernetes:(?:core|([^/]*))\/\w+:(\w+?)(?:Patch)?$/.exec(type) ?? [];
  if (kind === "") return [];
  const { namespace } = inputs["metadata"] as { namespace?: string };
  const plural = `${kind.toLowerCase().replace(/y$/, "ie")}s`;
  return [`${group}/${plural} ${namespace ?? ""}`];
}
