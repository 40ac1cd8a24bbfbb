import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import program from "../../infra/index.ts";
import { Recorder } from "../helpers/recorder.ts";

test("a wrong configuration is refused before the first resource is registered", async () => {
  const recorder = new Recorder();
  await pulumi.runtime.setMocks(recorder, "gatehouse", "dev", false);
  pulumi.runtime.setAllConfig({
    "kubernetes:context": "somewhere",
    "gatehouse:domains": JSON.stringify({ localhost: { enabled: true } }),
    "gatehouse:identity_provider": JSON.stringify({
      install: false,
      url: "https://id.example.test",
      token: "canary-token",
    }),
    "gatehouse:protected_services": JSON.stringify([
      { name: "Wiki", type: "proxy", description: "x", domains: "auto" },
    ]),
  });
  const refusal = await program().then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  expect(pulumi.RunError.isInstance(refusal)).toBe(true);
  expect(refusal?.message).toMatch(/^Pulumi\.dev\.yaml: 3 problems\n/);
  expect(refusal?.message).not.toContain("canary");
  await pulumi.runtime.disconnect();
  expect(recorder.resources).toEqual([]);
});
