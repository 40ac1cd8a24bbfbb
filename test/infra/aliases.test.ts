import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { onceIn, onceInStack } from "../../infra/aliases.ts";
import { record } from "../helpers/recorder.ts";

class Component extends pulumi.ComponentResource {
  constructor(type: string, name: string, opts?: pulumi.ComponentResourceOptions) {
    super(type, name, {}, opts);
    this.registerOutputs({});
  }
}

test("returns the URN of an older program, which has no outer component, as the alias", async () => {
  const urns = await record(async () => {
    const around = new Component("gatehouse:index:Gatehouse", "gatehouse");
    const gateway = new Component("gatehouse:gateway:Gateway", "gateway", onceInStack(around));
    const [alias] = onceIn("gatehouse:gateway:BasicAuth", "notes", gateway).aliases;
    const urns = [gateway.urn, alias?.parent as pulumi.Output<string>];
    return Promise.all(urns.map((urn) => new Promise((resolve) => urn.apply(resolve))));
  });
  const prefix = "urn:pulumi:local::gatehouse::";
  expect(urns.result).toEqual([
    `${prefix}gatehouse:index:Gatehouse$gatehouse:gateway:Gateway::gateway`,
    `${prefix}gatehouse:gateway:Gateway$gatehouse:gateway:BasicAuth::notes`,
  ]);
});
