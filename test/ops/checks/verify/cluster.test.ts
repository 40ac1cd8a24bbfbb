/** What `verify` reports about the objects of a cluster. */
import type { KubeConfig } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { labelsOf } from "../../../../infra/pods.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { clusterProbes } from "../../../../ops/checks/verify/cluster.ts";
import { type ProbeCheck, runProbes } from "../../../../ops/checks/verify/probe.ts";
import type { ClusterObjects } from "../../../../ops/clients/clusterObjects.ts";
import { shell, stack } from "../../../config/stacks.ts";
import { clusterOf, edited, GATEWAY, ingressRoute, object, withObjects } from "../audit/cluster.ts";

const settings = { ...parseStack(stack({}), shell), gateway: { ...parseStack(stack({}), shell).gateway, ...GATEWAY } };
const plan = computePlan(settings);
const clean = clusterOf(plan);
const WIKI = "http://wiki.localhost";

/** Runs the probes that compare objects. @returns the results, and how often the objects were read */
async function resultsOf(objects: ClusterObjects): Promise<{ results: ProbeCheck[]; reads: number }> {
  let reads = 0;
  const read = () => {
    reads += 1;
    return Promise.resolve(objects);
  };
  const results = await runProbes(
    clusterProbes({ context: "prod", given: "prod", plan, settings }, {} as KubeConfig, read),
  );
  return { results, reads };
}

async function backendsOfWiki(objects: ClusterObjects): Promise<object | undefined> {
  const { results } = await resultsOf(objects);
  return results.find(({ subject }) => subject === WIKI);
}

const about = { kind: "cluster", subject: WIKI, name: `backends of ${WIKI}` };
const failed = (detail: string) => ({
  ...about,
  ok: false,
  detail,
  hint: "run: npx gatehouse diagnose prod wiki.localhost",
});

test("passes for a cluster that is as planned, and reads its objects once", async () => {
  const { results, reads } = await resultsOf(clean);
  expect(reads).toBe(1);
  const detail = results.find(({ subject }) => subject === WIKI)?.detail.split(", ");
  expect(detail).toContain("default/wiki:80");
  expect(detail?.some((place) => /^authentik\/\S+:9000$/.test(place))).toBe(true);
  expect(results.filter(({ kind }) => kind === "audit")).toEqual([
    { kind: "audit", subject: "cluster prod", name: "objects", ok: true, detail: "as planned" },
  ]);
});

test("fails for a Service that does not exist", async () => {
  const objects = edited(clean, "Service", "default/wiki", () => undefined);
  expect(await backendsOfWiki(objects)).toEqual(
    failed("Service default/wiki is missing (Service default/wiki does not exist)"),
  );
});

test("fails for a Service without the port", async () => {
  const ports = [{ port: 8080 }, { port: 9090 }];
  const objects = edited(clean, "Service", "default/wiki", (spec) => ({ ...spec, ports }));
  expect(await backendsOfWiki(objects)).toEqual(
    failed("Service default/wiki has no port 80 (its ports are 8080, 9090)"),
  );
});

test("fails for a Service whose selector matches no ready pod", async () => {
  const objects = edited(clean, "Pod", "default/wiki", () => undefined);
  expect(await backendsOfWiki(objects)).toEqual(
    failed("no pod of Service default/wiki is ready (0 ready pods match its selector)"),
  );
});

test("passes for a Service without a selector", async () => {
  const objects = edited(clean, "Service", "default/wiki", (spec) => ({ ...spec, selector: {} }));
  expect(await backendsOfWiki(objects)).toMatchObject({ ok: true });
});

test("fails for an authentik whose worker is not ready, next to its server and outposts", async () => {
  const pod = (name: string, status: string) => {
    const content = { status: { conditions: [{ type: "Ready", status }] } };
    return object("core/v1", "Pod", `authentik/${name}`, content, labelsOf(name));
  };
  const pods = [pod("authentik-worker", "False"), pod("gatehouse-sign-in-pages", "True")];
  const { results } = await resultsOf(withObjects(clean, ...pods));
  expect(results.slice(0, 2)).toMatchObject([
    { name: "pods of authentik-server in namespace authentik", ok: true, detail: "1 running" },
    {
      name: "pods of authentik-worker in namespace authentik",
      ok: false,
      detail: "expected at least 1 running, got 0 of 1",
    },
  ]);
});

test("skips what the user may not list, with the rights to add", async () => {
  const objects = { ...clean, manifests: [], unread: new Map([["Pod", "forbidden"]]) };
  const reason = { detail: "Pods cannot be listed: forbidden", skipped: true };
  const { results } = await resultsOf(objects);
  expect(results[0]).toMatchObject({ name: "pods of authentik-server in namespace authentik", ...reason });
  expect(await backendsOfWiki(objects)).toEqual({
    ...about,
    ok: true,
    ...reason,
    hint: "allow the user to list this kind in all namespaces (docs/policy.md, Rights)",
  });
});

test("reports each finding of the audit with its hint", async () => {
  const { results } = await resultsOf(edited(clean, "IngressRoute", "default/wiki", () => undefined));
  expect(results.filter(({ kind, ok }) => kind === "audit" && !ok)).toEqual([
    {
      kind: "audit",
      subject: "cluster prod",
      name: "IngressRoute default/wiki",
      ok: false,
      detail: "is missing, so another route may serve wiki.localhost, wiki.mesh.example.org",
      hint: "run npx gatehouse deploy prod --refresh",
    },
  ]);
});

test("accepts a default TLSOption that may be the operator's, and reports several", async () => {
  const tlsOption = (place: string) => object("traefik.io/v1alpha1", "TLSOption", place, { spec: {} });
  const failures = async (...places: readonly string[]) => {
    const { results } = await resultsOf(withObjects(clean, ...places.map(tlsOption)));
    return results.filter(({ kind, ok }) => kind === "audit" && !ok).map(({ name }) => name);
  };
  expect(await failures("default/default")).toEqual([]);
  expect(await failures("default/default", "kube-system/default")).toEqual(["TLSOption default/default"]);
});

test("skips an object of which the audit warns, and fails for one that takes requests", async () => {
  const states = async (priority: number) => {
    const route = ingressRoute("kube-system/catch-all", "PathPrefix(`/`)", { priority });
    const { results } = await resultsOf(withObjects(clean, route));
    return results.filter(({ kind }) => kind === "audit").map(({ name, ok, skipped }) => [name, ok, skipped]);
  };
  expect(await states(1)).toEqual([["IngressRoute kube-system/catch-all", false, true]]);
  expect(await states(9000)).toEqual([["IngressRoute kube-system/catch-all", false, undefined]]);
});
