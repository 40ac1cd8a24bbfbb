import { expect, test } from "vitest";
import { proxyServices } from "../../../bench/services.ts";
import { accessOf } from "../../../infra/access/access.ts";
import { recordOf } from "../../../infra/access/record.ts";
import { planOf } from "../plan/stacks.ts";

test("records the access of 100 services on three domains in less than 50 kB", () => {
  const plan = planOf({ localhost: true, mesh: true, external: true }, ...proxyServices(100));
  expect(plan.exposures.length).toBeGreaterThan(400);
  expect(JSON.stringify(recordOf(accessOf(plan))).length).toBeLessThan(50_000);
});
