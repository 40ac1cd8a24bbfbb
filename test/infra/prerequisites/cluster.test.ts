/** What is read of a cluster, from the responses of an API server. */
import { ApiException, type KubeConfig } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { readTraefik } from "../../../infra/prerequisites/cluster.ts";
import { readIdentityService } from "../../../infra/prerequisites/identityService.ts";

const notFound = () => Promise.reject(new ApiException(404, "", {}, {}));

/** A cluster that responds to these requests; to others with 404. */
function answering(requests: Readonly<Record<string, (request: object) => Promise<unknown>>>): KubeConfig {
  const api = new Proxy(requests, { get: (known, name) => known[String(name)] ?? notFound });
  return { makeApiClient: () => api } as unknown as KubeConfig;
}

test("reads whether a pod of Traefik has the address of its node", async () => {
  const containers = [{ image: "rancher/mirrored-library-traefik:3.7.13", args: ["--ping"] }];
  const hostNetwork = async (...pods: object[]) => {
    const items = pods.map((spec) => ({ metadata: { name: "traefik" }, spec: { containers, ...spec } }));
    const config = answering({ listNamespacedPod: () => Promise.resolve({ items }) });
    return (await readTraefik(config, { namespace: "kube-system", podLabels: {} }))?.hostNetwork;
  };
  expect(await hostNetwork({}, { hostNetwork: true })).toBe(true);
  expect(await hostNetwork({}, { hostNetwork: false })).toBe(false);
});

test("reads the Service of an existing authentik, and distinguishes a missing one from one that the user may not read", async () => {
  const spec = { clusterIP: "10.43.0.9", ports: [{ name: "http", port: 80 }] };
  const service = { name: "authentik-server", port: 80 };
  const read = (response: (request: object) => Promise<unknown>) =>
    readIdentityService(answering({ readNamespacedService: response }), { namespace: "sso", service });
  const found = (request: object) => {
    expect(request).toEqual({ namespace: "sso", name: "authentik-server" });
    return Promise.resolve({ spec });
  };
  expect(await read(found)).toEqual(spec);
  expect(await read(notFound)).toBeNull();
  expect(await read(() => Promise.reject(new ApiException(403, "", {}, {})))).toBeUndefined();
  await expect(read(() => Promise.reject(new ApiException(500, "", {}, {})))).rejects.toThrow("500");
});
