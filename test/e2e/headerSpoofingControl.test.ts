/** Controls for gateway.test.ts: without the defence its attacks succeed, so its tests can fail. */
import { CustomObjectsApi } from "@kubernetes/client-node";
import { afterEach, beforeAll, expect, test } from "vitest";
import { withClient } from "../../ops/clients/http.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { clusterConfig, forwardAuthOf, origin, sampleUser, sendRaw } from "./fixtures.ts";

const location = { group: "traefik.io", version: "v1alpha1", namespace: "default", plural: "ingressroutes" };
const name = "control";
let cluster: CustomObjectsApi;

beforeAll(() => {
  const config = clusterConfig();
  cluster = config.makeApiClient(CustomObjectsApi);
});
afterEach(() => cluster.deleteNamespacedCustomObject({ ...location, name }));

/** Creates a route to the echo service for one path of a host, with a higher priority than the stack's route and these middlewares only. */
async function createRoute(host: string, middlewares: string[]): Promise<void> {
  const match = `Host(\`${host}\`) && Path(\`/control\`)`;
  const services = [{ name: "whoami", port: 8080, nativeLB: true }];
  const rule = {
    kind: "Rule",
    match,
    priority: 1_000,
    middlewares: middlewares.map((each) => ({ name: each })),
    services,
  };
  const body = {
    apiVersion: "traefik.io/v1alpha1",
    kind: "IngressRoute",
    metadata: { name },
    spec: { routes: [rule] },
  };
  await cluster.createNamespacedCustomObject({ ...location, body });
}

const forged: [string, string][] = ["X-idp-username", "X_idp_username", "X.idp.username"].map((header) => [
  header,
  "mallory",
]);

test("passes every forged spelling to a public application without the strip middleware", async () => {
  await createRoute(new URL(origin("whoami-public")).hostname, []);
  const forgedHeaders = async (): Promise<string[]> => {
    const { body } = await sendRaw(`${origin("whoami-public")}/control`, forged);
    return [...receivedHeaders(body)].filter(([, values]) => values.includes("mallory")).map(([header]) => header);
  };
  await expect
    .poll(async () => (await forgedHeaders()).sort(), { timeout: 240_000 })
    .toEqual(["x-idp-username", "x.idp.username", "x_idp_username"]);
});

test("passes forged spellings to the application next to the real header with forward auth alone", async () => {
  await createRoute(new URL(origin("whoami")).hostname, [forwardAuthOf("whoami")]);
  await withClient(async (client) => {
    await signIn(client, `${origin("whoami")}/`, sampleUser("bob"));
    const cookie = await client.cookies.getCookieString(origin("whoami"));
    const usernames = async (): Promise<string[]> => {
      const { body } = await sendRaw(`${origin("whoami")}/control`, [["Cookie", cookie], ...forged]);
      return [...receivedHeaders(body)].flatMap(([header, values]) =>
        /^x.idp.username$/.test(header) ? values.map((value) => `${header}: ${value}`) : [],
      );
    };
    await expect
      .poll(async () => (await usernames()).sort(), { timeout: 240_000 })
      .toEqual(["x-idp-username: bob", "x.idp.username: mallory", "x_idp_username: mallory"]);
  });
});
