import type * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
import { serviceUrl } from "../../infra/clusterIp.ts";

test.each([
  ["10.43.0.7", "http://10.43.0.7:9000"],
  ["fd00:10:43::7", "http://[fd00:10:43::7]:9000"],
  [undefined, "http://192.0.2.1:9000"],
])("returns the URL of a Service with the cluster IP %s", async (clusterIP, expected) => {
  const service = { spec: pulumi.output({ clusterIP }) } as unknown as k8s.core.v1.Service;
  const url = await new Promise((resolve) => serviceUrl(service, 9000).apply(resolve));
  expect(url).toBe(expected);
});
