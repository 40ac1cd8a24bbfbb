/** A program that throws in an output. */
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { expect, inject, test } from "vitest";
import { deploy, openProgram } from "../../local/deploy.ts";
import { readRecord } from "../../ops/engine/recovery/stepRecord.ts";
import { SILENT } from "../../ops/terminal/progress.ts";

test("fails a deployment with the error of the program", async () => {
  const stack = await openProgram(inject("running"), "failing", () => {
    const failed = pulumi.output("x").apply((): string => {
      throw new pulumi.RunError("the error of the program");
    });
    const first = new k8s.core.v1.ConfigMap("first", { data: { failed } });
    new k8s.core.v1.ConfigMap("second", { data: { first: first.metadata.name } }, { dependsOn: [first] });
    return Promise.resolve();
  });
  await expect(deploy({ stack }, SILENT)).rejects.toThrow("the error of the program");
  // The engine saved its state, so nothing has to be recovered.
  expect(await readRecord(stack)).toEqual([]);
});
