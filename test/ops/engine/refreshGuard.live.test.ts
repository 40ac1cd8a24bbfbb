import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { StackContext } from "../../../ops/context/context.ts";
import { refuseUnsafeRefresh } from "../../../ops/engine/refreshGuard.ts";

/** What a refresh of a stack is answered whose identity provider, or gateway, gives that status. */
async function refreshBefore(status: number, type = "authentik:index/group:Group"): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const identityProviderUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const identityProvider = { apiUrl: undefined };
  const target = { given: "prod-eu", settings: { identityProvider }, plan: { identityProviderUrl } };
  try {
    await refuseUnsafeRefresh(target as unknown as StackContext, [{ type: "pulumi:pulumi:Stack" }, { type }]);
    return "continues";
  } catch (error) {
    return (error as Error).message.replace(identityProviderUrl, "URL");
  } finally {
    server.close();
  }
}

test("refuses a refresh while the identity provider is not ready, because a 404 of the gateway would remove its objects from the state", async () => {
  expect(await refreshBefore(200)).toBe("continues");
  for (const status of [404, 503]) {
    expect(await refreshBefore(status)).toBe(
      `URL/-/health/ready/ returns ${status}, so a refresh would delete all resources of the identity provider from the state. ` +
        "Deploy without --refresh first, or run: npx gatehouse diagnose prod-eu",
    );
  }
});

test("allows a refresh of a state without objects of the identity provider", async () => {
  expect(await refreshBefore(404, "pulumi:providers:authentik")).toBe("continues");
});
