/** Responses to the credentials of a user or a machine: the application may refuse them, the gateway may not. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Exposure } from "../../../../infra/plan/types.ts";
import { checkBasic, checkMachine, checkSignIn } from "../../../../ops/checks/verify/signInChecks.ts";

type Answer = readonly [status: number, headers: Readonly<Record<string, string>>, body: string];

const USER = { username: "ops", password: "correct horse", name: "Ops", email: "", groups: [] };
const VALID = { password: Buffer.from("ops:correct horse").toString("base64"), token: "canary" };
const REALM = { "www-authenticate": 'Basic realm="legacy"' };
const login = (state: string): Answer => [
  302,
  { location: `http://authentik.localhost/application/o/authorize/?state=${state}` },
  `state ${state}`,
];

async function serve(listener: RequestListener): Promise<Exposure> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://app.localhost:${(server.address() as AddressInfo).port}` } as Exposure;
}

/** Checks both sign-ins at a gateway that answers like this. @param refusal response to invalid credentials */
async function checked(answer: Answer, refusal: Answer) {
  const exposure = await serve(({ headers: { authorization = "" } }, response) => {
    const isValid = [`Basic ${VALID.password}`, `Bearer ${VALID.token}`].includes(authorization);
    const [status, headers, body] = isValid ? answer : refusal;
    response.writeHead(status, headers).end(body);
  });
  const checks = [
    await checkBasic(exposure, USER, false),
    await checkMachine(exposure, USER, () => Promise.resolve(VALID.token)),
  ];
  return checks.map(({ ok, detail }) => ({ ok, detail }));
}

const twice = (ok: boolean, detail: string) => [
  { ok, detail },
  { ok, detail },
];

test.each([
  [200, {}, "welcome"],
  [400, {}, "unsupported authorization"],
  [401, { "www-authenticate": "Bearer" }, "Unauthorized"],
  [401, { "www-authenticate": 'Basic realm="application"' }, "401 Unauthorized"],
  [403, {}, "<Code>AccessDenied</Code>"],
  [500, {}, ""],
] as const)("passes for a %i of the application with %o", async (status, headers, body) => {
  expect(await checked([status, headers, body], login("a"))).toEqual(twice(true, `${status}`));
  expect(await checked([status, headers, body], [401, REALM, "401 Unauthorized"])).toEqual(twice(true, `${status}`));
});

test.each([
  [401, REALM, "401 Unauthorized"],
  [403, {}, "Forbidden"],
  [431, {}, ""],
  [200, {}, "open"],
] as const)("fails for a %i with %o, as with invalid credentials", async (...answer) => {
  const detail = `expected a response of the application, got ${answer[0]}, as with invalid credentials`;
  expect(await checked(answer, answer)).toEqual(twice(false, detail));
});

test("fails for a redirect to the login, whose text differs each time", async () => {
  const detail = "expected a response of the application, got 302 → http://authentik.localhost";
  expect(await checked(login("b"), login("a"))).toEqual(twice(false, detail));
});

test.each([400, 403, 431])("fails for a %i of the application to a user who signed in", async (status) => {
  const exposure = await serve((_, response) => response.writeHead(status).end());
  expect(await checkSignIn(exposure, USER)).toMatchObject({
    ok: false,
    detail: `expected a response of the application, got ${status}`,
  });
});
