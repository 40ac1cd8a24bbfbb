import { parseStack } from "../../../../../config/load.ts";
import { computePlan } from "../../../../../infra/plan/plan.ts";
import type { ClusterObjects } from "../../../../../ops/clients/clusterObjects.ts";
import { shell, stack } from "../../../../config/stacks.ts";
import { clusterOf } from "../cluster.ts";

export const plan = computePlan(
  parseStack(
    stack({
      domains: { localhost: {}, mesh: { enabled: true, base_domain: "mesh.example.org", targets: ["100.64.0.1"] } },
      test_environments: { install: true },
    }),
    shell,
  ),
);
export const clean = clusterOf(plan);
/** What a rule of a route has with the backend of the data API. */
export const POSTGREST = { services: [{ name: "postgrest", namespace: "gatehouse-data", port: 3000 }] };

/** A changed cluster with a part of the finding. */
export type Tampered = readonly [title: string, objects: ClusterObjects, problem: string];
