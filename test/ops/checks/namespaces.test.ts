import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { requiredNamespaces } from "../../../ops/checks/namespaces.ts";
import { basic, proxy, sections, shell, stack } from "../../config/stacks.ts";

test("the namespaces of services, test environments and accounts must exist, those that the stack creates need not", () => {
  const protected_services = [
    proxy({ service: { namespace: "wiki" } }),
    basic({ domains: ["external"], service: { namespace: "not-exposed" } }),
  ];
  const service_accounts = [
    { name: "reporter", namespace: "reporting" },
    { name: "verifier", namespace: "gatehouse-verification", groups: ["staff"] },
  ];
  const verification = { account: "verifier" };
  const identity_provider = { ...sections.identity_provider, service_accounts };
  const settings = parseStack(stack({ protected_services, identity_provider, verification }), shell);
  expect(requiredNamespaces(settings, computePlan(settings))).toEqual(["default", "reporting", "wiki"]);
});
