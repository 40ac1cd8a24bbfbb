import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { requiredNamespaces } from "../../../ops/checks/namespaces.ts";
import { basic, proxy, sections, shell, stack } from "../../config/stacks.ts";

test("requires the namespaces of services, test environments, accounts and Prometheus, but not those that the stack creates", () => {
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
  const required = (more: object) => {
    const settings = parseStack(stack({ protected_services, identity_provider, verification, ...more }), shell);
    return requiredNamespaces(settings, computePlan(settings));
  };
  expect(required({})).toEqual(["default", "reporting", "wiki"]);
  const echo = (install: boolean) => ({ test_environments: { install, service: { namespace: "echo" } } });
  expect(required({ ...echo(true), observability: { namespace: "monitoring" } })).toEqual([
    "echo",
    "monitoring",
    "reporting",
    "wiki",
  ]);
  expect(required({ protected_services: [], domains: sections.domains, ...echo(false) })).toEqual(["reporting"]);
});
