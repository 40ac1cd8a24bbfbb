import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { selfSigned } from "../../../../emulators/authentik/certificate.ts";
import type { Inputs } from "../../../../ops/checks/doctor/inputs.ts";
import { identityProvider } from "../../../../ops/checks/doctor/identityProvider.ts";
import { shell, stack } from "../../../config/stacks.ts";

async function check(fields: object) {
  const { certificate_data: cert, key_data: key } = selfSigned("127.0.0.1");
  const server = createServer({ cert, key });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const identity_provider = { install: false, url, token: "${TOKEN}", ...fields };
  const target = { settings: parseStack(stack({ identity_provider }), shell), stack: "dev" };
  return { url, checks: await identityProvider({ target, secrets: { reveal: () => "token" } } as unknown as Inputs) };
}

test("names what must trust the authority of an existing server's certificate", async () => {
  const machine =
    "trust its authority with NODE_EXTRA_CA_CERTS=FILE, and for the provider plugins with SSL_CERT_FILE=FILE or in the trust store of the " +
    "system (docs/commands.md)";
  const { url, checks } = await check({});
  const detail = `${url} does not answer: self-signed certificate`;
  const outposts = "outposts trust public authorities only, and need identity_provider.service";
  expect(checks).toEqual([{ name: "API", ok: false, detail, hint: `${machine}; ${outposts}` }]);
  const inCluster = await check({ service: { name: "authentik-server", port: 80 } });
  expect(inCluster.checks.map(({ hint }) => hint)).toEqual([machine]);
});
