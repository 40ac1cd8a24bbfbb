/** What `verify` reports about Services behind routes. */
import type { KubeConfig } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import type { DeployedService } from "../../../../ops/clients/services.ts";
import { backendProbes } from "../../../../ops/checks/verify/backends.ts";
import { runProbes } from "../../../../ops/checks/verify/probe.ts";
import { shell, stack } from "../../../config/stacks.ts";

const plan = computePlan(parseStack(stack({}), shell));
const services: readonly DeployedService[] = plan.routes.flatMap(({ rules }) =>
  rules.map(({ backend }) => ({ ...backend, clusterIP: "10.43.0.7", ports: [backend.port], ready: 1 })),
);

/** @returns what is reported about one host where the Services of `default/wiki` differ */
async function about(host: string, change: (one: DeployedService) => DeployedService[]) {
  let reads = 0;
  const read = () => {
    reads += 1;
    return Promise.resolve(services.flatMap((one) => (one.name === "wiki" ? change(one) : [one])));
  };
  const probes = backendProbes({} as KubeConfig, { plan, context: "prod" }, read);
  const results = await runProbes(probes);
  expect([probes.length, reads]).toEqual([plan.exposures.length, 1]);
  const { kind, ok, detail, hint } = results.find(({ subject }) => subject === `http://${host}`) ?? {};
  return { kind, ok, detail, hint };
}

const WIKI = "wiki.localhost";
const failed = (detail: string) => ({
  ...{ kind: "cluster", ok: false, detail },
  hint: `run: npm run diagnose -- prod ${WIKI}`,
});

test("names the Services of a route, the outpost's among them", async () => {
  const { detail = "", ...result } = await about(WIKI, (one) => [one]);
  expect(result).toEqual({ kind: "cluster", ok: true, hint: undefined });
  expect(detail.split(", ")).toContain("default/wiki:80");
  expect(detail).toMatch(/gatehouse-outposts?\S*:9000|authentik\S*:9000/);
});

test("fails for a Service that does not exist", async () => {
  expect(await about(WIKI, () => [])).toEqual(
    failed("Service default/wiki is missing (Service default/wiki does not exist)"),
  );
});

test("fails for a Service without the port", async () => {
  expect(await about(WIKI, (one) => [{ ...one, ports: [8080, 9090] }])).toEqual(
    failed("Service default/wiki has no port 80 (its ports are 8080, 9090)"),
  );
});

test("fails for a Service whose selector matches no ready pod", async () => {
  expect(await about(WIKI, (one) => [{ ...one, ready: 0 }])).toEqual(
    failed("no pod of Service default/wiki is ready (0 ready pods match its selector)"),
  );
});

test("passes for a Service without a selector", async () => {
  expect(await about(WIKI, (one) => [{ ...one, ready: undefined }])).toMatchObject({ ok: true });
});

test("skips what the user may not list, with the rights to add", async () => {
  const read = () => Promise.reject(Object.assign(new Error("HTTP-Code: 403"), { code: 403 }));
  const results = await runProbes(backendProbes({} as KubeConfig, { plan, context: "prod" }, read));
  expect(results.find(({ subject }) => subject === `http://${WIKI}`)).toEqual({
    ...{ kind: "cluster", subject: `http://${WIKI}`, name: `backends of http://${WIKI}`, ok: true, skipped: true },
    detail: "Services and pods cannot be listed: forbidden",
    hint: "allow the user to list both in all namespaces (docs/policy.md, Rights)",
  });
});
