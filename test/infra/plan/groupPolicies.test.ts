import { describe, expect, test } from "vitest";
import { oauth2, proxy } from "../../config/stacks.ts";
import { always, planOf } from "./stacks.ts";

describe("the group policies of any stack", () => {
  test("are one for each combination of groups that an application allows", () => {
    always(({ exposures, clients, groupPolicies }) => {
      const applications = [...exposures.filter(({ application }) => application), ...clients];
      const combinations = applications.map(({ groups }) => JSON.stringify([...groups].sort()));
      const some = new Set(combinations.filter((groups) => groups !== "[]"));
      expect(groupPolicies.map(({ groups }) => JSON.stringify(groups)).sort()).toEqual([...some].sort());
      expect(new Set(groupPolicies.map(({ name }) => name)).size).toBe(groupPolicies.length);
    });
  });
});

test("creates the same group policy for any order and repetition of its groups", () => {
  const services = [
    proxy({ groups: ["staff", "admins"] }),
    oauth2({ groups: ["admins", "staff", "staff"] }),
    proxy({ name: "mail", application_slug: "mail", groups: ["staff", "staff"] }),
  ];
  expect(planOf({ localhost: true }, ...services).groupPolicies).toEqual([
    { name: "gatehouse-groups-admins-staff-49c4cf71", groups: ["admins", "staff"] },
    { name: "gatehouse-groups-staff-1ecb9f08", groups: ["staff"] },
  ]);
});
