import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { RetryingKubeConfig } from "../../../infra/kubeConfig.ts";
import { unreachableCluster } from "../../../ops/context/kubeconfig.ts";
import { readClusterObjects } from "../../../ops/clients/clusterObjects.ts";

/** Starts an API server that answers these paths with one object each, `refused` with 403 or 401, and others with 404. */
async function clusterWith(paths: readonly string[], refused: string, refusal = 403): Promise<RetryingKubeConfig> {
  const server = createServer(({ url = "" }, response) => {
    const status = paths.includes(url) ? 200 : url === refused ? refusal : 404;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(status === 200 ? { items: [{ metadata: { name: "one", namespace: "shop" } }] } : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const config = new RetryingKubeConfig();
  const { port } = server.address() as AddressInfo;
  const cluster = { name: "here", server: `http://127.0.0.1:${port}`, skipTLSVerify: true };
  config.loadFromClusterAndUser(cluster, { name: "me", token: "t" });
  return config;
}

test("reads a TLSRoute of an older version once, and distinguishes forbidden kinds from absent ones", async () => {
  const gateway = "/apis/gateway.networking.k8s.io";
  const served = [`${gateway}/v1alpha3/tlsroutes`, `${gateway}/v1alpha2/tlsroutes`, `${gateway}/v1/httproutes`];
  const { manifests, unread, absent } = await readClusterObjects(await clusterWith(served, `${gateway}/v1/grpcroutes`));
  expect(manifests.map(({ type }) => type)).toEqual([
    "kubernetes:gateway.networking.k8s.io/v1:HTTPRoute",
    "kubernetes:gateway.networking.k8s.io/v1alpha3:TLSRoute",
  ]);
  expect([...unread]).toEqual([["GRPCRoute", "forbidden"]]);
  expect([absent.has("DNSEndpoint"), absent.has("GRPCRoute"), absent.has("TLSRoute")]).toEqual([true, false, false]);
  expect([absent.has("TLSOption"), absent.has("TLSStore")]).toEqual([true, true]);
});

test("reads no EndpointSlices that Kubernetes creates for the pods of a Service", async () => {
  const slices =
    "/apis/discovery.k8s.io/v1/endpointslices?labelSelector=endpointslice.kubernetes.io%2Fmanaged-by%21%3Dendpointslice-controller.k8s.io";
  const { manifests } = await readClusterObjects(await clusterWith([slices], ""));
  expect(manifests.map(({ kind }) => kind)).toEqual(["EndpointSlice"]);
});

test("fails when the API server rejects the credentials, which is no matter of one kind", async () => {
  const config = await clusterWith([], "/api/v1/pods", 401);
  const failure = await readClusterObjects(config).catch((error: unknown) => unreachableCluster(config, error));
  expect(failure).toMatchObject({
    problem: `the cluster of context "loaded-context" at ${config.getCurrentCluster()?.server} rejects the credentials of its user`,
    hint: "sign in to the cluster again, or correct the user in the kubeconfig",
  });
});
