import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Exposure } from "../../../../infra/plan/types.ts";
import { requestExposure } from "../../../../ops/checks/diagnose/evidence/answers.ts";

const EXECUTOR = "/api/v3/flows/executor/default-authentication-flow/";
const INGE = { username: "inge", password: "correct horse", groups: [] };

/** A stage that shows nothing, as user login and an MFA validation without devices, passes on GET with a redirect to the same address. */
const STAGES = ["ak-stage-identification", "ak-stage-password", undefined, undefined, undefined, undefined];

/** Starts a service behind an outpost and the authentik that it asks, both on one port. @returns the port */
async function start(options: { readonly keepsSession: boolean }): Promise<number> {
  let stage = 0;
  const redirect = (response: ServerResponse, location: string): void => {
    response.writeHead(302, { location }).end();
  };
  const service = (request: IncomingMessage, response: ServerResponse, authentik: string): void => {
    if (request.url?.startsWith("/callback")) response.setHeader("set-cookie", "session=1; Path=/");
    const signedIn = request.headers.cookie?.includes("session=1") === true && options.keepsSession;
    if (request.url?.startsWith("/callback")) redirect(response, "/");
    else if (signedIn) response.end("hello");
    else redirect(response, `${authentik}/application/o/authorize/`);
  };
  const authentik = (request: IncomingMessage, response: ServerResponse, app: string): void => {
    const url = request.url ?? "";
    const isDone = stage >= STAGES.length;
    const self = (): void => redirect(response, url);
    if (url.startsWith("/application/o/authorize/")) {
      redirect(
        response,
        isDone ? `${app}/callback` : "/if/flow/default-authentication-flow/?next=/application/o/authorize/",
      );
    } else if (!url.startsWith(EXECUTOR)) {
      response.end("<html></html>");
    } else if (isDone) {
      response.end(JSON.stringify({ component: "xak-flow-redirect", to: "/application/o/authorize/" }));
    } else if (request.method === "POST" || STAGES[stage] === undefined) {
      stage += 1;
      self();
    } else {
      response.end(JSON.stringify({ component: STAGES[stage] }));
    }
  };
  const server = createServer((request, response) => {
    request.resume();
    const [host = "", port = ""] = (request.headers.host ?? "").split(":");
    if (host === "app.localhost") service(request, response, `http://authentik.localhost:${port}`);
    else authentik(request, response, `http://app.localhost:${port}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const outcomes = async (port: number): Promise<unknown> => {
  const exposure = { url: `http://app.localhost:${port}`, role: "service" } as Exposure;
  const { withoutSession, withSession } = await requestExposure(exposure, INGE);
  return [withoutSession, withSession?.trail].map((trail) => [trail?.end, trail?.hops.at(-1)?.url]);
};

test("follows redirects of the flow executor to its own address", async () => {
  const port = await start({ keepsSession: true });
  expect(await outcomes(port)).toEqual([
    ["answered", `http://authentik.localhost:${port}/if/flow/default-authentication-flow/`],
    ["answered", `http://app.localhost:${port}/`],
  ]);
});

test("reports a loop for a service that does not keep the session", async () => {
  const port = await start({ keepsSession: false });
  expect(await outcomes(port)).toEqual([
    ["answered", `http://authentik.localhost:${port}/if/flow/default-authentication-flow/`],
    ["loop", expect.stringContaining("localhost")],
  ]);
});
