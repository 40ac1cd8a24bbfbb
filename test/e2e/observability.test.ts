import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { dashboard } from "../../infra/observability/dashboard.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import { withClient } from "../../ops/clients/http.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { METRICS } from "../helpers/metrics.ts";
import { localSettings, origin, sampleUser, sendRaw } from "./fixtures.ts";

const DEADLINE_MS = 240_000;
const CANARIES = ["cookie", "bearer", "code", "state", "token", "password", "agent", "referer"].map(
  (of) => `canary-access-${of}`,
);

type Line = Readonly<Record<string, unknown>>;

const accessLog = (): string => readFileSync(join(inject("platform").data, "logs", "access.log"), "utf8");

/** Returns the line of the access log with this path, once Traefik has written it. */
async function lineOf(path: string): Promise<Line> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const lines = accessLog()
      .split("\n")
      .filter((line) => line.endsWith("}"));
    const [found] = lines.map((line) => JSON.parse(line) as Line).filter((line) => line["RequestPath"] === path);
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`the access log has no line with ${path}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns service, host, status and user name of a line. */
function fieldsOf(line: Line): unknown[] {
  // Traefik names a rule by its IngressRoute and a hash.
  const service =
    typeof line["RouterName"] === "string" ? line["RouterName"].replace(/-[0-9a-f]{20}@kubernetescrd$/, "") : undefined;
  const names = ["RequestHost", "DownstreamStatus", "request_X-Idp-Username"];
  return [service, ...names.map((name) => line[name])];
}

describe("the access log", () => {
  test("contains the user and the service behind forward auth, and no credential", async () => {
    await withClient(async (client) => {
      await signIn(client, `${origin("whoami")}/`, sampleUser("alice"));
      const cookies = await client.cookies.getCookieString(origin("whoami"));
      const response = await sendRaw(
        `${origin("whoami")}/access-forward?code=canary-access-code&state=canary-access-state&%74oken=canary-access-token`,
        [
          ["Cookie", `${cookies}; other=canary-access-cookie`],
          ["User-Agent", "canary-access-agent"],
          ["Referer", "http://elsewhere.localhost/?x=canary-access-referer"],
          ["X-Idp-Username", "mallory"],
        ],
      );
      expect(response.status).toBe(200);
      const line = await lineOf("/access-forward");
      expect(fieldsOf(line)).toEqual(["default-whoami", "whoami.localhost", 200, "alice"]);
      expect(Object.keys(line).sort()).toEqual(
        [
          "ClientHost",
          "DownstreamContentSize",
          "DownstreamStatus",
          "Duration",
          "OriginStatus",
          "RequestHost",
          "RequestMethod",
          "RequestPath",
          "RequestProtocol",
          "RouterName",
          "ServiceName",
          "StartUTC",
          "level",
          "msg",
          "request_X-Idp-Username",
          "time",
        ].sort(),
      );
      const session = cookies.split("; ").map((pair) => pair.slice(pair.indexOf("=") + 1));
      expect(session.length).toBeGreaterThan(0);
      for (const secret of session) expect(accessLog()).not.toContain(secret);
    });
  });

  test("contains the user name of basic auth after a correct password only, and no password", async () => {
    const password = inject("platform").variables["LEGACY_PASSWORD"] ?? "";
    const basic = (secret: string) => `Basic ${Buffer.from(`ops:${secret}`).toString("base64")}`;
    for (const [path, secret] of [
      ["/access-basic", password],
      ["/access-refused", "canary-access-password"],
    ] as const) {
      await sendRaw(`${origin("legacy")}${path}?token=canary-access-token`, [["Authorization", basic(secret)]]);
    }
    expect(fieldsOf(await lineOf("/access-basic"))).toEqual(["default-legacy", "legacy.localhost", 200, "ops"]);
    expect(fieldsOf(await lineOf("/access-refused"))).toEqual(["default-legacy", "legacy.localhost", 401, undefined]);
    for (const secret of [password, basic(password), basic("canary-access-password")]) {
      expect(accessLog()).not.toContain(secret);
    }
  });

  test("contains no user for a request without a session, whatever headers the client sends", async () => {
    const forged = ["x-idp-username", "mallory"] as const;
    await sendRaw(`${origin("whoami-public")}/access-open`, [forged, ["Authorization", "Bearer canary-access-bearer"]]);
    await sendRaw(`${origin("whoami")}/access-refusal?code=canary-access-code`, [forged]);
    expect(fieldsOf(await lineOf("/access-open"))).toEqual([
      "default-gatehouse-test",
      "whoami-public.localhost",
      200,
      undefined,
    ]);
    expect(fieldsOf(await lineOf("/access-refusal"))).toEqual(["default-whoami", "whoami.localhost", 302, undefined]);
    const unknownHost = origin("whoami-public").replace("whoami-public", "unknown");
    await sendRaw(`${unknownHost}/access-unknown`, [forged]);
    // Without a route no middleware removes the header. Such a line has no RouterName, so it must not be trusted.
    expect(fieldsOf(await lineOf("/access-unknown"))).toEqual([undefined, "unknown.localhost", 404, "mallory"]);
    for (const canary of CANARIES) expect(accessLog()).not.toContain(canary);
  });
});

test("exports every metric of the gateway that the alerts and the dashboard use", async () => {
  const { ping } = JSON.parse(readFileSync(join(inject("platform").data, "ports.json"), "utf8")) as { ping: number };
  await withClient((client) => client.send(`${origin("data")}/`));
  const text = await withClient(async (client) => (await client.send(`http://127.0.0.1:${ping}/metrics`)).body);
  const names = new Set(text.split("\n").flatMap((line) => /^([a-z_]+)\{/.exec(line)?.[1] ?? []));
  expect(METRICS["traefik"]?.filter((name) => !names.has(name))).toEqual([]);
  // Traefik forms the names of its routers and services from those of the objects.
  const shown = JSON.stringify(dashboard(localSettings(), computePlan(localSettings()), [])).replaceAll("\\", "");
  const selectors = new Set(
    Array.from(shown.matchAll(/((?:router|service)=~"[^"]+)"/g), ([, selector]) => selector ?? ""),
  );
  expect(selectors.size).toBe(3);
  for (const selector of selectors) {
    const [label, pattern] = selector.split('=~"');
    const values = Array.from(text.matchAll(new RegExp(`${label}="([^"]+)"`, "g")), ([, value]) => value ?? "");
    expect([selector, values.some((value) => new RegExp(`^(?:${pattern})$`).test(value))]).toEqual([selector, true]);
  }
});
