/** `npx gatehouse verify` on the sample data, which has a relation with more rows than `exact_count_rows`. */
import { expect, inject, test } from "vitest";
import { checkDataApi } from "../../ops/checks/verify/dataApi.ts";

test("passes for relations above exact_count_rows", async () => {
  const checks = await checkDataApi(
    inject("data").url,
    { exposed: ["api_v1", "marts", "raw"], hidden: ["private"] },
    1000,
  );
  expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  const details = checks.map(({ detail }) => detail).filter((detail) => detail.includes("counts"));
  expect(details.map((detail) => detail.replace(/^\d+/, "N"))).toEqual([
    "N relations with rows and counts",
    "N relations with rows and counts",
    "N relations with rows and counts; 1 of them above exact_count_rows",
  ]);
});
