/** Checks of the doctor with answers of a cluster and a CLI that the live tests do not get. */
import { ApiException, type KubeConfig } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { storage } from "../../../../ops/checks/doctor/cluster.ts";
import { pulumi } from "../../../../ops/checks/doctor/tools.ts";
import { shell, stack } from "../../../config/stacks.ts";

/** A cluster that answers the list of storage classes with a status. */
function answering(code: number): { config: KubeConfig } {
  const listStorageClass = () => Promise.reject(new ApiException(code, "", {}, {}));
  return { config: { makeApiClient: () => ({ listStorageClass }) } as unknown as KubeConfig };
}

test("skips the storage class if the user may not list storage classes", async () => {
  const postgres = { password: "${POSTGRES}", install: { kind: "statefulset" } };
  const settings = parseStack(stack({ postgres }), { ...shell, POSTGRES: "secret" });
  expect(await storage(settings, answering(403))).toEqual([
    {
      name: "storage class",
      ok: true,
      skipped: true,
      detail: "the user may not list storage classes",
      hint: "check that the class of postgres.install.storage_class exists, or a default one",
    },
  ]);
  await expect(storage(settings, answering(500))).rejects.toThrow("500");
});

test("reports the version of the Pulumi CLI that is used, not the pinned one", async () => {
  const run = (...args: string[]) => Promise.resolve(args.join() === "version" ? "v3.222.0\n" : "");
  expect(await pulumi({ cli: { value: { stack: "prod", run } } })).toEqual({
    name: "Pulumi CLI",
    ok: true,
    detail: "3.222.0",
  });
});
