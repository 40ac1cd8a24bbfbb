import { PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { deployApplications } from "../../local/sample/applications.ts";
import { isReadyPod } from "../../manifests/pod.ts";
import { namespace, PlatformClients, status, until } from "./platformClients.ts";

const clients = new PlatformClients();

test("waits for the Secret of a sample application, and runs when it exists", async () => {
  await deployApplications(clients.platform);
  const waiting = await until(async () => {
    const [pod] = await clients.podsOf("notes");
    expect(pod?.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: "CreateContainerConfigError",
      message: "Secret notes-oauth2 does not exist",
    });
    return pod;
  });
  expect([waiting?.status?.phase, waiting && isReadyPod(waiting)]).toEqual(["Pending", false]);

  const settings = {
    OIDC_ISSUER: "http://127.0.0.1:1/application/o/notes/",
    OIDC_CLIENT_ID: "notes",
    OIDC_CLIENT_SECRET: "not a secret: only this test uses it",
    OIDC_REDIRECT_URIS: "http://notes.localhost/oauth/callback",
    OIDC_SCOPES: "openid profile email",
  };
  await clients.core.createNamespacedSecret({
    namespace,
    body: { metadata: { name: "notes-oauth2" }, stringData: settings },
  });
  await until(async () => {
    const pods = await clients.podsOf("notes");
    expect(pods.map((pod) => [pod.metadata?.uid, isReadyPod(pod)])).toEqual([[waiting?.metadata?.uid, true]]);
  });
  const { spec } = await clients.core.readNamespacedService({ name: "notes", namespace });
  // The Service learns that the Pod is ready after the API server does, as in any cluster.
  await until(async () => expect(await status(`${spec?.clusterIP}:8080`)).toBe(421));

  await deployApplications(clients.platform);
  const again = await clients.apps.readNamespacedDeployment({ name: "notes", namespace });
  expect(again.metadata?.generation).toBe(1);
});

test("restarts a sample application after its Secret has changed", async () => {
  const applications = await deployApplications(clients.platform);
  await applications.update();
  const [before] = await clients.podsOf("notes");
  const stringData = { OIDC_REDIRECT_URIS: "http://notes.localhost:8080/oauth/callback" };
  const options = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
  await clients.core.patchNamespacedSecret({ name: "notes-oauth2", namespace, body: { stringData } }, options);
  expect((await clients.podsOf("notes")).map(({ metadata }) => metadata?.uid)).toEqual([before?.metadata?.uid]);

  await applications.update();
  const pods = (await clients.podsOf("notes")).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  expect(pods.map(isReadyPod)).toEqual([true]);
  expect(pods[0]?.metadata?.uid).not.toBe(before?.metadata?.uid);
  const { spec } = await clients.core.readNamespacedService({ name: "notes", namespace });
  const address = `${spec?.clusterIP}:8080`;
  // No server has this issuer: the application accepts the host, and cannot start the sign-in.
  await until(async () => expect(await status(address, { host: "notes.localhost:8080" })).toBe(502));
  expect(await status(address, { host: "notes.localhost" })).toBe(421);
});
