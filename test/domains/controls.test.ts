/** Controls of the advisory tests for each middleware: the attack succeeds without it and fails with it. */
import { describe, expect, inject, test } from "vitest";
import type { Exposure, ForwardAuth } from "../../infra/plan/types.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { middlewareFields, verifyControl } from "./cluster.ts";
import { legacyPassword, passwordLine, sessionAt } from "./credentials.ts";
import { type Line, outcome, type RawRequest, sendRaw } from "./rawRequests.ts";
import { exposureOf } from "./fixtures.ts";

const STRIP = "gatehouse-strip";
const forward = (): Exposure => exposureOf("forward", "localhost");
const attackOn =
  ({ url }: Exposure, request: RawRequest) =>
  () =>
    sendRaw(`${url}/control`, request);
const setRequestHeaders = (headers: Readonly<Record<string, string>>) => ({
  headers: { customRequestHeaders: headers },
});

/** Returns the name of the forward-auth middleware of the exposure's outpost. */
function forwardAuthFor({ outpost }: Exposure, wanted: Partial<ForwardAuth> = {}): string {
  const { refusal = "login", upstream = false } = wanted;
  const found = inject("domains").plan.middlewares.find(
    (each) =>
      each.kind === "forward-auth" &&
      each.outpost === outpost &&
      each.refusal === refusal &&
      each.upstream === upstream &&
      each.namespace === "default",
  );
  if (!found) throw new Error(`the plan has no such middleware for outpost ${outpost}`);
  return found.name;
}

describe("the strip middleware", () => {
  test("removes forged headers before a public application", async () => {
    const exposure = exposureOf("whoami-public", "localhost");
    const identity = ["X-idp-username", "X_idp_username", "X.idp.username"];
    const paths = ["X-Original-URL", "X_Rewrite_URL", "SCRIPT_NAME"];
    const claimed = [...identity, "Forwarded", "X.Forwarded.Host", ...paths, "HTTP2-Settings"];
    await verifyControl({
      exposure,
      attack: attackOn(exposure, { lines: claimed.map((name): Line => [name, "host=mallory"]) }),
      observe: ({ body }) => claimed.filter((name) => receivedHeaders(body).has(name.toLowerCase())),
      without: { chain: [], expected: claimed },
      with: { chain: [STRIP], expected: [] },
    });
  });

  test("precedes forward auth, which overwrites one spelling only", async () => {
    const lines: Line[] = [await sessionAt(forward().url), ["X_idp_groups", "admins"], ["X-idp-groups", "admins"]];
    await verifyControl({
      exposure: forward(),
      attack: attackOn(forward(), { lines }),
      observe: ({ body }) => ["x-idp-groups", "x_idp_groups"].map((name) => receivedHeaders(body).get(name)),
      without: { chain: [forwardAuthFor(forward())], expected: [["staff"], ["admins"]] },
      with: { chain: [STRIP, forwardAuthFor(forward())], expected: [["staff"], undefined] },
    });
  });

  test("removes what authentik sent before an import, which forward auth does not overwrite", async () => {
    const names = ["X-authentik-username", "X_authentik_username", "X-authentik-meta-app"];
    const lines: Line[] = [await sessionAt(forward().url), ...names.map((name): Line => [name, "akadmin"])];
    await verifyControl({
      exposure: forward(),
      attack: attackOn(forward(), { lines }),
      observe: ({ body }) => names.filter((name) => receivedHeaders(body).has(name.toLowerCase())),
      without: { chain: [forwardAuthFor(forward())], expected: names },
      with: { chain: [STRIP, forwardAuthFor(forward())], expected: [] },
    });
  });
});

describe("forward auth", () => {
  test("redirects an invalid cookie to the login", async () => {
    await verifyControl({
      exposure: forward(),
      attack: attackOn(forward(), { lines: [["Cookie", "authentik_proxy_00000000=x; authentik_session=x"]] }),
      observe: outcome,
      without: { chain: [STRIP], expected: "200 shows /control" },
      with: { chain: [STRIP, forwardAuthFor(forward())], expected: `login for ${forward().url}/control` },
    });
  });

  test("lists every identity header in authResponseHeaders, since a missing one comes from the client", async () => {
    const fields = await middlewareFields(forwardAuthFor(forward()), "forwardAuth");
    await verifyControl({
      exposure: forward(),
      attack: attackOn(forward(), { lines: [await sessionAt(forward().url), ["X-idp-groups", "admins"]] }),
      observe: ({ body }) => receivedHeaders(body).get("x-idp-groups"),
      middlewares: { "control-short": { forwardAuth: { ...fields, authResponseHeaders: ["X-idp-username"] } } },
      without: { chain: ["control-short"], expected: ["admins"] },
      with: { chain: [forwardAuthFor(forward())], expected: ["staff"] },
    });
  });

  test("gets the path from the gateway, since another path changes the decision", async () => {
    const forwardAuth = forwardAuthFor(forward(), { refusal: "unauthorized" });
    await verifyControl({
      exposure: forward(),
      attack: attackOn(forward(), { lines: [["X-Original-URI", "/outpost.goauthentik.io/x"]] }),
      observe: outcome,
      without: { chain: [forwardAuth], expected: "200 shows /control" },
      with: { chain: ["gatehouse-background", forwardAuth], expected: "401" },
    });
  });

  test("forwards the headers in authRequestHeaders only, so no other header can set the path", async () => {
    const forwardAuth = forwardAuthFor(forward(), { refusal: "unauthorized" });
    // If the list is empty, Traefik forwards all headers.
    const everything = { ...(await middlewareFields(forwardAuth, "forwardAuth")), authRequestHeaders: [] };
    await verifyControl({
      exposure: forward(),
      attack: attackOn(forward(), { lines: [["X-Original-URL", `${forward().url}/outpost.goauthentik.io/x`]] }),
      observe: outcome,
      middlewares: { "control-all": { forwardAuth: everything } },
      without: { chain: ["control-all"], expected: "200 shows /control" },
      with: { chain: [forwardAuth], expected: "500" },
    });
  });
});

describe("behind a trusted proxy", () => {
  /** Sets the header of a client that such a proxy forwards: another host, where the client has a session. */
  const forwardedHost = (host: string) => ({
    "control-forwarded-host": setRequestHeaders({ "X-Forwarded-Host": host }),
  });

  test("decides by the routed host in forward auth", async () => {
    const exposure = exposureOf("gated", "external");
    const other = exposureOf("forward", "external");
    const session = await sessionAt(other.url);
    expect(exposure.outpost).toBe(other.outpost);
    const forwardAuth = forwardAuthFor(exposure, { upstream: true });
    await verifyControl({
      exposure,
      attack: attackOn(exposure, { lines: [session] }),
      observe: outcome,
      middlewares: forwardedHost(new URL(other.url).host),
      without: { chain: ["control-forwarded-host", forwardAuth], expected: "200 shows /control" },
      with: {
        chain: ["control-forwarded-host", "gatehouse-upstream", forwardAuth],
        expected: `login for ${exposure.url}/control`,
      },
    });
  });

  test("removes the address that a client claims in X-Real-Ip", async () => {
    const exposure = exposureOf("forward", "external");
    const chain = ["control-real-ip"];
    await verifyControl({
      exposure,
      attack: attackOn(exposure, {}),
      observe: ({ body }) => receivedHeaders(body).get("x-real-ip"),
      middlewares: { "control-real-ip": setRequestHeaders({ "X-Real-Ip": "10.0.0.1" }) },
      without: { chain, expected: ["10.0.0.1"] },
      with: { chain: [...chain, "gatehouse-upstream"], expected: undefined },
    });
  });

  test("requires authentication on the route that redirects to HTTPS, since X-Forwarded-Proto skips its redirect", async () => {
    const exposure = exposureOf("forward", "mesh");
    const redirect = inject("domains").plan.middlewares.find(({ kind }) => kind === "redirect")?.name ?? "";
    const plain = `http://${exposure.host}:${inject("domains").httpPort}`;
    // The redirect target equals the requested URL.
    const { host } = new URL(exposure.url);
    const chain = ["control-https", redirect];
    await verifyControl({
      exposure,
      entryPoint: "web",
      ready: `${plain}/control`,
      attack: () => sendRaw(`${plain}/control`, { host }),
      observe: (response) => outcome(response).split(" at ")[0],
      middlewares: { "control-https": setRequestHeaders({ "X-Forwarded-Proto": "https" }) },
      without: { chain, expected: "200 shows /control" },
      with: { chain: [...chain, forwardAuthFor(exposure)], expected: `login for http://${host}/control` },
    });
  });
});

describe("basic auth", () => {
  const legacy = (): Exposure => exposureOf("legacy", "localhost");

  test("rejects a wrong password", async () => {
    await verifyControl({
      exposure: legacy(),
      attack: attackOn(legacy(), { lines: [passwordLine("ops:wrong")] }),
      observe: outcome,
      without: { chain: [STRIP], expected: "200 shows /control" },
      with: { chain: [STRIP, "legacy-basic-auth"], expected: "401" },
    });
  });

  test("removes the password before the application", async () => {
    const fields = await middlewareFields("legacy-basic-auth", "basicAuth");
    await verifyControl({
      exposure: legacy(),
      attack: attackOn(legacy(), { lines: [passwordLine()] }),
      observe: ({ body }) => receivedHeaders(body).get("authorization"),
      middlewares: { "control-kept": { basicAuth: { ...fields, removeHeader: false } } },
      without: { chain: ["control-kept"], expected: [passwordLine(`ops:${legacyPassword()}`)[1]] },
      with: { chain: ["legacy-basic-auth"], expected: undefined },
    });
  });
});
