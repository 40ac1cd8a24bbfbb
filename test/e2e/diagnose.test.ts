/** `diagnose` names each cause of docs/diagnose.md on a real platform. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import type { Kubeconfig } from "../../local/platform/api.ts";
import { otherCauses } from "./diagnose/otherCauses.ts";
import { domainCauses } from "./diagnose/domainNotWorking.ts";
import { signInCauses } from "./diagnose/signIn.ts";
import { unprotectedCauses } from "./diagnose/unprotected.ts";
import { config, diagnoser, healthy, own, PASSWORDS, stack, start, stop } from "./diagnose/platform.ts";
import { SECRETS } from "../helpers/ownPlatform.ts";

beforeAll(start);
afterAll(stop);

test("names the deployment on every host of a stack that was never deployed", async () => {
  const { code, diagnosis } = await diagnoser.run(config());
  expect(code).toBe(1);
  expect(new Set(diagnosis.hosts.map(({ symptom, cause }) => `${symptom.kind}: ${cause?.message}`))).toEqual(
    new Set(["not-working: the stack was never deployed"]),
  );
});

test("reports no symptom after a deployment, and repeats the warnings of the plan", async () => {
  await stack.up(config());
  await healthy();
  const { diagnosis } = await diagnoser.run(config());
  expect(diagnosis.warnings).toContain('protected_services[1] "team": domain "partner" is not enabled; skipped there');
  expect(await diagnoser.print(config())).toContain("No symptom.");
});

signInCauses();
unprotectedCauses();
domainCauses();
otherCauses();

test("keeps three reports, and prints no secret of the platform", async () => {
  await diagnoser.print(config());
  expect(diagnoser.reports).toHaveLength(3);
  const { users } = parse(readFileSync(own.platform.kubeconfig, "utf8")) as Kubeconfig;
  const passphrase = stack.stack.workspace.envVars["PULUMI_CONFIG_PASSPHRASE"] ?? "";
  const canaries = [
    ...Object.values(SECRETS),
    ...Object.values(PASSWORDS),
    own.platform.postgres.password,
    passphrase,
    users[0].user.token,
  ];
  expect(canaries.filter((canary) => canary.length < 6)).toEqual([]);
  const output = [diagnoser.printed, ...diagnoser.reports.map((name) => diagnoser.report(name))].join("\n");
  expect(output.length).toBeGreaterThan(10_000);
  expect(canaries.filter((canary) => output.includes(canary))).toEqual([]);
});
