import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import type { DataApi } from "../../config/settings.ts";
import { readCatalogFiles } from "../../infra/data/catalogFiles.ts";
import program from "../../infra/index.ts";
import { stack } from "../config/stacks.ts";
import { configure, deploy, PATIENCE } from "../helpers/program.ts";
import { Recorder } from "../helpers/recorder.ts";

test("rejects a wrong configuration before the first resource is registered", async () => {
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

test("throws for a missing build of the catalog before the first resource is registered", async () => {
  const recorder = new Recorder();
  await pulumi.runtime.setMocks(recorder, "gatehouse", "dev", false);
  configure(stack({ domains: { localhost: {} } }, { "kubernetes:context": { value: "somewhere" } }));
  const unbuilt = (dataApi: DataApi, name: string) => readCatalogFiles(dataApi, name, import.meta.dirname);
  await expect(program({ readCatalog: unbuilt })).rejects.toThrow(
    "the catalog is not built; run: npm run build:catalog",
  );
  await pulumi.runtime.disconnect();
  expect(recorder.resources).toEqual([]);
});

test.each<[string, Record<string, unknown>]>([
  ["by its URL", {}],
  ["with a Service in the cluster", { service: { name: "server" } }],
])(
  "checks an existing identity provider once, %s",
  async (_, fields) => {
    const asked: unknown[][] = [];
    const waitUntilReady = (...question: unknown[]) => Promise.resolve(void asked.push(question));
    const existing = { install: false, url: "https://sso.example.org", token: "${TOKEN}", ...fields };
    await deploy(stack({ identity_provider: existing, data_api: undefined }), { waitUntilReady });
    const expected = { version: "2026.5.7", timeout: 60_000 };
    expect(asked).toEqual([["https://sso.example.org", "canary-token", expected, expect.any(Function)]]);
  },
  PATIENCE,
);
