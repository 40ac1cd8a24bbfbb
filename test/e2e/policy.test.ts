/** The policy pack as the CLI runs it, over the local stack and over a program that gets around it. */
import * as k8s from "@pulumi/kubernetes";
import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import { describe, expect, inject, test } from "vitest";
import program from "../../infra/index.ts";
import { openContext } from "../../ops/context/context.ts";
import { openEngine } from "../../ops/context/engine.ts";
import { policyPackFolder } from "../../ops/policyPack.ts";
import { projectFolder } from "../../ops/paths.ts";
import { quiet } from "../helpers/quiet.ts";

const CONTEXT = "gatehouse-local";

/** A preview of the local stack under the pack. */
async function preview(run: PulumiFn): Promise<Readonly<Record<string, number>>> {
  const place = { project: projectFolder(), data: inject("platform").data, environment: process.env };
  const context = openContext(CONTEXT, place);
  // The program runs in this process and looks its variables up where a deploying shell has them.
  Object.assign(process.env, context.environment);
  const stack = await openEngine(context, place, run, quiet);
  const { changeSummary } = await stack.preview({ policyPacks: [policyPackFolder()] });
  return changeSummary;
}

describe("the policy pack under the open CLI", () => {
  test("passes the local stack", async () => {
    const { same } = await preview(() => program());
    expect(same).toBeGreaterThan(50);
  });

  test("refuses a route around the plan before anything is deployed, with the rules that it breaks", async () => {
    const around: PulumiFn = async () => {
      const outputs = await program();
      const provider = new k8s.Provider("around", { context: CONTEXT });
      const services = [{ name: "whoami", port: 8080 }];
      new k8s.apiextensions.CustomResource(
        "around",
        {
          apiVersion: "traefik.io/v1alpha1",
          kind: "IngressRoute",
          metadata: { name: "around", namespace: "default" },
          spec: {
            entryPoints: ["web"],
            routes: [{ kind: "Rule", match: "Host(`whoami.localhost`)", priority: 999, services }],
          },
        },
        { provider },
      );
      return outputs;
    };
    const refused = await preview(around).catch((error: unknown) => String(error));
    expect(refused).toContain("routes-are-protected");
    expect(refused).toContain("IngressRoute default/around: Host(`whoami.localhost`): lets everybody in");
    expect(refused).toContain("drops no forged identity headers");
  });
});
