/** For each defence in a chain: without it the attack works, with it it does not. So the advisory tests can fail. */
import { describe, expect, inject, test } from "vitest";
import type { Exposure, ForwardAuth } from "../../infra/plan/types.ts";
import { receivedHeaders } from "../../ops/checks/verify/echo.ts";
import { middlewareFields, prove } from "./cluster.ts";
import { legacyPassword, passwordLine, sessionAt } from "./credentials.ts";
import { type Line, outcome, type RawRequest, sendRaw } from "./raw-requests.ts";
import { exposureOf } from "./fixtures.ts";

const STRIP = "gatehouse-strip";
const forward = (): Exposure => exposureOf("forward", "localhost");
const attackOn =
  ({ url }: Exposure, request: RawRequest) =>
  () =>
    sendRaw(`${url}/control`, request);
const says = (headers: Readonly<Record<string, string>>) => ({ headers: { customRequestHeaders: headers } });

/** The middleware that asks the exposure's outpost. */
function asking({ outpost }: Exposure, wanted: Partial<ForwardAuth> = {}): string {
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

describe("the strip", () => {
  test("keeps what a client claims from an open application", async () => {
    const exposure = exposureOf("whoami-public", "localhost");
    const identity = ["X-idp-username", "X_idp_username", "X.idp.username"];
    const claimed = [...identity, "Forwarded", "X.Forwarded.Host", "X-Original-URL", "X_Rewrite_URL", "HTTP2-Settings"];
    await prove({
      exposure,
      attack: attackOn(exposure, { lines: claimed.map((name): Line => [name, "host=mallory"]) }),
      seen: ({ body }) => claimed.filter((name) => receivedHeaders(body).has(name.toLowerCase())),
      without: { chain: [], gives: claimed },
      with: { chain: [STRIP], gives: [] },
    });
  });

  test("stands before forward auth, which overwrites one spelling only", async () => {
    const lines: Line[] = [await sessionAt(forward().url), ["X_idp_groups", "admins"], ["X-idp-groups", "admins"]];
    await prove({
      exposure: forward(),
      attack: attackOn(forward(), { lines }),
      seen: ({ body }) => ["x-idp-groups", "x_idp_groups"].map((name) => receivedHeaders(body).get(name)),
      without: { chain: [asking(forward())], gives: [["staff"], ["admins"]] },
      with: { chain: [STRIP, asking(forward())], gives: [["staff"], undefined] },
    });
  });
});

describe("forward auth", () => {
  test("refuses a cookie that is none", async () => {
    await prove({
      exposure: forward(),
      attack: attackOn(forward(), { lines: [["Cookie", "authentik_proxy_00000000=x; authentik_session=x"]] }),
      seen: outcome,
      without: { chain: [STRIP], gives: "200 shows /control" },
      with: { chain: [STRIP, asking(forward())], gives: `login for ${forward().url}/control` },
    });
  });

  test("lists every identity header: one that is missing there is the client's", async () => {
    const fields = await middlewareFields(asking(forward()), "forwardAuth");
    await prove({
      exposure: forward(),
      attack: attackOn(forward(), { lines: [await sessionAt(forward().url), ["X-idp-groups", "admins"]] }),
      seen: ({ body }) => receivedHeaders(body).get("x-idp-groups"),
      middlewares: { "control-short": { forwardAuth: { ...fields, authResponseHeaders: ["X-idp-username"] } } },
      without: { chain: ["control-short"], gives: ["admins"] },
      with: { chain: [asking(forward())], gives: ["staff"] },
    });
  });

  test("is told what it asks about by the gateway: who chooses the path chooses the answer", async () => {
    const asks = asking(forward(), { refusal: "unauthorized" });
    await prove({
      exposure: forward(),
      attack: attackOn(forward(), { lines: [["X-Original-URI", "/outpost.goauthentik.io/x"]] }),
      seen: outcome,
      without: { chain: [asks], gives: "200 shows /control" },
      with: { chain: ["gatehouse-background", asks], gives: "401" },
    });
  });

  test("passes on what it lists only, so that no other header names the path", async () => {
    const asks = asking(forward(), { refusal: "unauthorized" });
    // Without names, Traefik passes on all.
    const everything = { ...(await middlewareFields(asks, "forwardAuth")), authRequestHeaders: [] };
    await prove({
      exposure: forward(),
      attack: attackOn(forward(), { lines: [["X-Original-URL", `${forward().url}/outpost.goauthentik.io/x`]] }),
      seen: outcome,
      middlewares: { "control-all": { forwardAuth: everything } },
      without: { chain: ["control-all"], gives: "200 shows /control" },
      with: { chain: [asks], gives: "500" },
    });
  });
});

describe("behind a proxy that the gateway trusts", () => {
  /** What a client said, and such a proxy handed on: another host, where the client has a session. */
  const handedOn = (host: string) => ({ "control-handed-on": says({ "X-Forwarded-Host": host }) });

  test("the host that forward auth asks about is the one that was routed", async () => {
    const exposure = exposureOf("gated", "external");
    const other = exposureOf("forward", "external");
    const session = await sessionAt(other.url);
    expect(exposure.outpost).toBe(other.outpost);
    const asks = asking(exposure, { upstream: true });
    await prove({
      exposure,
      attack: attackOn(exposure, { lines: [session] }),
      seen: outcome,
      middlewares: handedOn(new URL(other.url).host),
      without: { chain: ["control-handed-on", asks], gives: "200 shows /control" },
      with: { chain: ["control-handed-on", "gatehouse-upstream", asks], gives: `login for ${exposure.url}/control` },
    });
  });

  test("the redirect to HTTPS has the authentication behind it, since it believes that the request came so", async () => {
    const exposure = exposureOf("forward", "mesh");
    const redirect = inject("domains").plan.middlewares.find(({ kind }) => kind === "redirect")?.name ?? "";
    const plain = `http://${exposure.host}:${inject("domains").httpPort}`;
    // What would be led to is what was asked for.
    const { host } = new URL(exposure.url);
    const chain = ["control-https", redirect];
    await prove({
      exposure,
      entryPoint: "web",
      ready: `${plain}/control`,
      attack: () => sendRaw(`${plain}/control`, { host }),
      seen: (answer) => outcome(answer).split(" at ")[0],
      middlewares: { "control-https": says({ "X-Forwarded-Proto": "https" }) },
      without: { chain, gives: "200 shows /control" },
      with: { chain: [...chain, asking(exposure)], gives: `login for http://${host}/control` },
    });
  });
});

describe("basic auth", () => {
  const legacy = (): Exposure => exposureOf("legacy", "localhost");

  test("refuses who has no password", async () => {
    await prove({
      exposure: legacy(),
      attack: attackOn(legacy(), { lines: [passwordLine("ops:wrong")] }),
      seen: outcome,
      without: { chain: [STRIP], gives: "200 shows /control" },
      with: { chain: [STRIP, "legacy-basic-auth"], gives: "401" },
    });
  });

  test("keeps the password from the application", async () => {
    const fields = await middlewareFields("legacy-basic-auth", "basicAuth");
    await prove({
      exposure: legacy(),
      attack: attackOn(legacy(), { lines: [passwordLine()] }),
      seen: ({ body }) => receivedHeaders(body).get("authorization"),
      middlewares: { "control-kept": { basicAuth: { ...fields, removeHeader: false } } },
      without: { chain: ["control-kept"], gives: [passwordLine(`ops:${legacyPassword()}`)[1]] },
      with: { chain: ["legacy-basic-auth"], gives: undefined },
    });
  });
});
