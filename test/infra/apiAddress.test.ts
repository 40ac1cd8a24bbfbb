import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { apiAddress } from "../../infra/identity/apiAddress.ts";
import { pluginsResolve } from "../../infra/loopback.ts";

const BROWSER = "http://authentik.localhost:8080";
const SERVICE = { name: "authentik", port: 9000 };
const none = (): Promise<boolean> => Promise.resolve(false);
const all = (): Promise<boolean> => Promise.resolve(true);
const HINT =
  'the provider plugins cannot resolve authentik.localhost. Add "127.0.0.1 authentik.localhost" to /etc/hosts, or set ' +
  "identity_provider.api_url to an address of authentik that this machine reaches.";

describe("the address of authentik's API", () => {
  test("is the URL for browsers, if the plugins resolve it", async () => {
    expect(await apiAddress({ install: true }, BROWSER, all)).toBe(BROWSER);
    expect(await apiAddress({ install: false }, "https://login.example.org", none)).toBe("https://login.example.org");
  });

  test("is otherwise that of the Service, also of an existing server in the cluster", async () => {
    expect(await apiAddress({ install: true }, BROWSER, none)).toBeUndefined();
    expect(await apiAddress({ install: false, service: SERVICE }, BROWSER, none)).toBeUndefined();
  });

  test("is refused if there is no Service, or api_url is a name that they do not resolve", async () => {
    await expect(apiAddress({ install: false }, BROWSER, none)).rejects.toThrow(HINT);
    await expect(apiAddress({ install: true, apiUrl: BROWSER }, "http://x.localhost", none)).rejects.toThrow(HINT);
  });
});

describe.runIf(process.platform === "linux")("the provider plugins on Linux", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-hosts-"));
  const hosts = join(folder, "hosts");
  writeFileSync(hosts, "127.0.0.1\tlocalhost # authentik.invalid\n127.0.0.1 Wiki.invalid authentik.other.invalid\n");
  afterAll(() => rmSync(folder, { recursive: true }));

  test("resolve the names of the hosts file", async () => {
    expect(await pluginsResolve("wiki.invalid", hosts)).toBe(true);
    expect(await pluginsResolve("authentik.other.invalid", hosts)).toBe(true);
  });

  test("resolve no others than those of the DNS servers", async () => {
    expect(await pluginsResolve("authentik.invalid", hosts)).toBe(false);
    expect(await pluginsResolve("authentik.invalid", join(folder, "none"))).toBe(false);
  });
});
