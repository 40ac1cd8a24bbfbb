/** Traefik's own responses, distinguished from the same status and text of an application in Go: here a second entry point of the real Traefik. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient, type HttpClient } from "../../../ops/clients/http.ts";
import { isGatewayResponse } from "../../../ops/clients/gatewayResponse.ts";
import { freePort } from "../../../local/platform/ports.ts";
import { type RunningTraefik, startTraefik } from "../../helpers/traefik.ts";

let traefik: RunningTraefik;
let ports: Readonly<Record<"web" | "websecure" | "application", number>>;
let client: HttpClient;

beforeAll(async () => {
  ports = { web: await freePort(), websecure: await freePort(), application: await freePort() };
  const url = `http://127.0.0.1:${ports.application}`;
  const of = (host: string, service: string, more = {}) => ({
    rule: `Host(\`${host}\`)`,
    service,
    entryPoints: ["web"],
    ...more,
  });
  const routers = Object.entries({
    "app.localhost": "app",
    "empty.localhost": "empty",
    "missing.localhost": "missing",
  });
  const http = {
    routers: Object.fromEntries(
      routers.flatMap(([host, service]) => [
        [`${service}-web`, of(host, service)],
        [`${service}-websecure`, of(host, service, { entryPoints: ["websecure"], tls: {} })],
      ]),
    ),
    services: {
      app: { loadBalancer: { servers: [{ url }] } },
      empty: { loadBalancer: { servers: [] } },
    },
  };
  traefik = await startTraefik(
    Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, { address: `127.0.0.1:${port}` }])),
    http,
  );
  client = createClient({ rejectUnauthorized: false });
});
afterAll(async () => {
  await client.close();
  await traefik.stop();
});

const answerOf = async (entryPoint: "web" | "websecure", host: string) => {
  const protocol = entryPoint === "web" ? "http" : "https";
  const { status, body, headers } = await client.send(`${protocol}://127.0.0.1:${ports[entryPoint]}/`, {
    headers: { host },
  });
  return { status, body, own: isGatewayResponse({ status, body, headers }) };
};

const NOT_FOUND = { status: 404, body: "404 page not found\n" };

test.each(["web", "websecure"] as const)("recognizes Traefik's own responses on %s", async (entryPoint) => {
  expect(await answerOf(entryPoint, "nowhere.localhost")).toEqual({ ...NOT_FOUND, own: true });
  expect(await answerOf(entryPoint, "missing.localhost")).toEqual({ ...NOT_FOUND, own: true });
  const unavailable = { status: 503, body: "no available server\n" };
  expect(await answerOf(entryPoint, "empty.localhost")).toEqual({ ...unavailable, own: true });
});

test.each(["web", "websecure"] as const)(
  "attributes the same 404 of an application in Go to the application on %s",
  async (entryPoint) => {
    expect(await answerOf(entryPoint, "app.localhost")).toEqual({ ...NOT_FOUND, own: false });
  },
);
