import { expect, test } from "vitest";
import { expectationOf } from "../../../../ops/checks/grants/expectation.ts";
import { reporter, sortFindings } from "../../../../ops/checks/grants/finding.ts";
import { checksOf } from "../../../../ops/checks/grants/report.ts";
import { planOf } from "./plannedState.ts";

const lack = reporter("table marts.late", "marts")(
  "outage",
  "web_anon lacks SELECT",
  "GRANT SELECT ON TABLE marts.late TO web_anon;",
);
const login = reporter("role web_anon")("exposure", "is LOGIN", "ALTER ROLE web_anon NOLOGIN;");
const leak = reporter("view marts.leak", "marts")(
  "leak",
  "serves rows of the private table private_marts.people",
  "take private_marts.people out of it",
);

test("sorts findings by danger and lists equal ones once", () => {
  expect(sortFindings([lack, login, leak, { ...lack }])).toEqual([leak, login, lack]);
});

test("fails the check of the schema of a finding, or that of the database", () => {
  const checks = checksOf([leak, login, lack], expectationOf(planOf(["marts"], ["private_marts"])));
  expect(checks).toEqual([
    {
      name: "grants of database warehouse and its roles",
      ok: false,
      detail: "role web_anon is LOGIN; hint: ALTER ROLE web_anon NOLOGIN;",
    },
    {
      name: "grants of schema marts",
      ok: false,
      detail:
        "view marts.leak serves rows of the private table private_marts.people; hint: take private_marts.people out of it\n" +
        "table marts.late web_anon lacks SELECT; hint: GRANT SELECT ON TABLE marts.late TO web_anon;",
    },
    ...["private_marts", "catalog", "gatehouse", "gatehouse_openapi"].map((name) => ({
      name: `grants of schema ${name}`,
      ok: true,
      detail: "as planned",
    })),
  ]);
});
