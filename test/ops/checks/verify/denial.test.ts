/** Answers to a user of no allowed group. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Exposure } from "../../../../infra/plan/types.ts";
import type { Check } from "../../../../ops/checks/check.ts";
import { checkWrongGroup } from "../../../../ops/checks/verify/identityHeaders.ts";

const AUTHORIZE = "/application/o/authorize/";
const DENIED = "<h1>Permission denied</h1><p>Request has been denied.</p>";

async function serve(name: string, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://${name}.localhost:${(server.address() as AddressInfo).port}`;
}

/**
 * Runs the check at a host that answers like this.
 * @param path where it redirects to, on the identity provider for the authorize endpoint; undefined = no redirect
 */
async function checked(status: number, body: string, path?: string): Promise<Check> {
  const provider = await serve("authentik", (_, response) => response.end("<h1>Ingen tilgang</h1>"));
  const url = await serve("app", (request, response) => {
    if (path === undefined || request.url === path) return response.writeHead(status).end(body);
    return response.writeHead(302, { location: path === AUTHORIZE ? `${provider}${path}` : path }).end();
  });
  return checkWrongGroup({ url } as Exposure, { username: "inge", password: "correct horse" }, provider);
}

test("passes for authentik's page at the authorize endpoint, whose status is 200, in any language", async () => {
  expect(await checked(200, "", AUTHORIZE)).toMatchObject({
    ok: true,
    detail: expect.stringMatching(/^200 from http:\/\/authentik\./) as string,
  });
});

test.each([400, 403])("passes for a %i of the outpost at its callback", async (status) => {
  expect(await checked(status, "", "/outpost.goauthentik.io/callback")).toMatchObject({ ok: true });
});

test.each([
  [200, "welcome"],
  [200, DENIED],
  [401, ""],
  [403, "Forbidden"],
  [404, "not found"],
  [500, ""],
])("fails for a %i of the application with the text %o", async (status, body) => {
  expect(await checked(status, body)).toMatchObject({
    ok: false,
    detail: expect.stringContaining(
      `expected a denial by the identity provider, got ${status} from http://app.`,
    ) as string,
  });
});
