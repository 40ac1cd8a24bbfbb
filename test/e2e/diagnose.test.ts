/** Each cause of the spec's error table, produced for real one after another: `diagnose` names it, and not another. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import type { Kubeconfig } from "../../local/platform/api.ts";
import { otherCauses } from "./diagnose/besides.ts";
import { deadCauses } from "./diagnose/dead.ts";
import { signInCauses } from "./diagnose/signIn.ts";
import { unprotectedCauses } from "./diagnose/unprotected.ts";
import { config, diagnoser, healthy, own, PASSWORDS, stack, start, stop } from "./diagnose/world.ts";
import { SECRETS } from "./ownPlatform.ts";

beforeAll(start);
afterAll(stop);

test("a stack that was never deployed: the deployment, on every host", async () => {
  const { code, diagnosis } = await diagnoser.run(config());
  expect(code).toBe(1);
  expect(new Set(diagnosis.hosts.map(({ symptom, cause }) => `${symptom.kind}: ${cause?.problem}`))).toEqual(
    new Set(["dead: the stack was never deployed"]),
  );
});

test("after a deployment nothing is wrong, and what the plan skipped is repeated", async () => {
  await stack.up(config());
  await healthy();
  const { diagnosis } = await diagnoser.run(config());
  expect(diagnosis.warnings).toContain('protected_services[1] "team": domain "partner" is not enabled; skipped there');
  expect(await diagnoser.print(config())).toContain("No symptom.");
});

signInCauses();
unprotectedCauses();
deadCauses();
otherCauses();

test("three reports are kept, and no secret of the platform is in them, nor in anything that was printed", async () => {
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
