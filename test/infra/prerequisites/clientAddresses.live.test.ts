/** Why `tls: upstream` needs trusted addresses: the limit per client of the real Traefik behind a proxy, which the test plays. */
import { expect, test } from "vitest";
import { perClient } from "../../../infra/gateway/dataSpecs.ts";
import { freePort } from "../../../local/platform/ports.ts";
import { startTraefik } from "../../helpers/traefik.ts";

/** @returns statuses of three requests of one client and of one request of another; each client has two requests */
async function statusesWith(forwardedHeaders: object): Promise<number[]> {
  const port = await freePort();
  const rateLimit = { average: 1, period: "1h", burst: 2, ...perClient({ upstream: true }) };
  const traefik = await startTraefik(
    { web: { address: `127.0.0.1:${port}`, forwardedHeaders } },
    {
      routers: {
        all: { rule: "PathPrefix(`/`)", service: "ping@internal", middlewares: ["limit"], entryPoints: ["web"] },
      },
      middlewares: { limit: { rateLimit } },
    },
  );
  try {
    const statuses: number[] = [];
    for (const client of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]) {
      const { status } = await fetch(`http://127.0.0.1:${port}/`, { headers: { "x-forwarded-for": client } });
      statuses.push(status);
    }
    return statuses;
  } finally {
    await traefik.stop();
  }
}

test("limits each client by itself when Traefik trusts the proxy", async () => {
  expect(await statusesWith({ trustedIPs: ["127.0.0.1/32"] })).toEqual([200, 200, 429, 200]);
});

test("limits all clients together when Traefik trusts no proxy", async () => {
  const statuses = await statusesWith({ insecure: false });
  expect(statuses.slice(-2)).toEqual([429, 429]);
});
