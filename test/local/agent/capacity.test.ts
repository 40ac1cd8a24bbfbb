import type { V1Pod } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { insufficient } from "../../../local/agent/capacity.ts";

const NODE = { cpu: 2, memory: 1024 ** 3 };

function pod(cpu: string, memory: string, phase = "Running"): V1Pod {
  return { spec: { containers: [{ name: "c", resources: { requests: { cpu, memory } } }] }, status: { phase } };
}

test.each([
  ["exactly the rest of the node", pod("500m", "512Mi"), [pod("1500m", "512Mi")]],
  ["as much as a finished Pod had", pod("2", "1Gi"), [pod("1", "1Gi", "Succeeded"), pod("1", "1Gi", "Failed")]],
])("accepts a Pod that requests %s", (_, one, others) => {
  expect(insufficient(one, others, NODE)).toBe(undefined);
});

test.each([
  [pod("501m", "512Mi"), "0/1 nodes are available: 1 Insufficient cpu."],
  [pod("500m", "513Mi"), "0/1 nodes are available: 1 Insufficient memory."],
  [pod("3", "2Gi"), "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory."],
])("rejects a Pod that requests more than the rest: %j", (one, reason) => {
  expect(insufficient(one, [pod("1500m", "512Mi")], NODE)).toBe(reason);
});

test("accepts a Pod without requests on a full node", () => {
  expect(insufficient({ spec: { containers: [{ name: "c" }] } }, [pod("2", "1Gi")], NODE)).toBe(undefined);
});
