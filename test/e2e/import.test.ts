/** `gatehouse import` on a cluster with ten hand-written services, then a deployment: no host changes, except where the report states it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import { headerOf, type HttpClient } from "../../ops/clients/http.ts";
import { signIn } from "../../ops/clients/signIn.ts";
import { main } from "../../ops/commands/import.ts";
import { main as plan } from "../../ops/commands/plan.ts";
import type { Report } from "../../ops/import/report.ts";
import { statusAndTarget, withClient } from "../domains/fixtures.ts";
import { SHELL } from "../helpers/shell.ts";
import { createServices, LEGACY_PASSWORD, NAMESPACE, SECRETS } from "./import/handWritten.ts";
import {
  type Config,
  common,
  GAST,
  INGE,
  type OwnPlatform,
  type OwnStack,
  startOwnPlatform,
} from "../helpers/ownPlatform.ts";
import { probe } from "../helpers/probe.ts";
import { followSteps } from "./import/printedSteps.ts";

const TRAEFIK = { group: "traefik.io", version: "v1alpha1", plural: "ingressroutes" };
/** Hosts that an entry serves; the others stay on the routes that exist. */
const IMPORTED = ["legacy", "notes", "reports", "vault.secure", "wiki"];
const KEPT = ["admin", "api", "limited", "open", "split"];

let own: OwnPlatform;
let stack: OwnStack;
let config: Config;
const project = mkdtempSync(join(tmpdir(), "gatehouse-import-"));
let before: Record<string, string>;
let document: Config;
let report: Report;
/** The report as text. */
let printed: string;

beforeAll(async () => {
  own = await startOwnPlatform();
  const first = await own.open("first");
  await first.up(own.installed([]));
  for (const user of [INGE, GAST]) await own.administrator.create(user);
  await createServices(own);
  const { httpPort, httpsPort } = own.platform;
  config = {
    ...common(own.platform),
    "gatehouse:domains": {
      localhost: { enabled: true, port: httpPort },
      secure: {
        enabled: true,
        base_domain: "secure.localhost",
        protocol: "https",
        port: httpsPort,
        description: "HTTPS",
      },
    },
    "gatehouse:protected_services": [],
    "gatehouse:identity_provider": {
      install: false,
      url: own.identityProvider,
      token: "${AUTHENTIK_TOKEN}",
      service: { name: "authentik-server" },
    },
  };
  writeFileSync(join(project, "Pulumi.imported.yaml"), stringify({ config }));
  stack = await own.open("imported");
});
afterAll(async () => {
  rmSync(project, { recursive: true, force: true });
  await own.stop();
});

function url(label: string): string {
  const secure = new URL(`https://${label}.localhost:${own.platform.httpsPort}`).origin;
  return label.endsWith(".secure") ? secure : own.origin(`${label}.localhost`);
}

/** Returns status and redirect of each host for a page and a path, without a session and with a password. */
async function responses(): Promise<Record<string, string>> {
  const authorization = `Basic ${Buffer.from(`ops:${LEGACY_PASSWORD}`).toString("base64")}`;
  const all = [...IMPORTED, ...KEPT].flatMap((label) => [
    ask(label, "/"),
    ask(label, "/v1/x"),
    ask(label, "/", { authorization }),
  ]);
  return Object.fromEntries(await Promise.all(all));
}

async function ask(label: string, path: string, headers: Record<string, string> = {}): Promise<[string, string]> {
  const name = `${label} ${path}${"authorization" in headers ? " with a password" : ""}`;
  return withClient(async (client) => [name, statusAndTarget(await client.send(url(label) + path, { headers }))]);
}

/** Returns the client that the login of a host is for. */
function clientId(label: string): Promise<string | null> {
  return withClient(async (client: HttpClient) => {
    const location = headerOf(await client.send(`${url(label)}/`), "location");
    return location === undefined ? null : new URL(location).searchParams.get("client_id");
  });
}

function kubeconfig() {
  return { ...process.env, KUBECONFIG: own.platform.kubeconfig };
}

async function run(...args: string[]): Promise<readonly [code: number, out: string, error: string]> {
  let [out, error] = ["", ""];
  const shell = { ...SHELL, project, folder: project, data: project, environment: kubeconfig() };
  const code = await main([own.platform.context, ...args], {
    ...shell,
    out: (text) => void (out += text),
    error: (text) => void (error += text),
  });
  return [code, out, error];
}

/** Signs in and returns the status and the host of the page. */
function signedIn(label: string, user: typeof INGE): Promise<string> {
  return withClient(async (client) => {
    const page = await signIn(client, `${url(label)}/`, user);
    return `${page.status} ${new URL(page.url).hostname}`;
  });
}

test("serves the services by their own routes before the import", async () => {
  const login = `302 ${own.identityProvider}/application/o/authorize/`;
  const expected = {
    "open /": "200",
    "legacy /": "401",
    "legacy / with a password": "200",
    "api /": "404",
    "api /v1/x": "200",
    "split /": "200",
    "reports /": login,
    "wiki /": login,
    "vault.secure /": login,
    "limited /": login,
    "admin /": login,
  };
  await vi.waitFor(
    async () => {
      before = await responses();
      expect(before).toMatchObject(expected);
      expect(before["notes /"]).toMatch(/^302 /);
    },
    { timeout: 240_000, interval: 500 },
  );
  expect(await signedIn("reports", INGE)).toBe("200 reports.localhost");
  expect(await signedIn("reports", GAST)).toBe("200 authentik.localhost");
  expect(await signedIn("notes", INGE)).toBe("200 notes.localhost");
});

test("writes five of them as entries, reports the others, and prints no secret", async () => {
  const [code, out, error] = await run();
  expect(code).toBe(1);
  printed = error;
  document = (parse(out) as { config: Config }).config;
  const entries = document["gatehouse:protected_services"] as { name: string; type: string; groups?: string[] }[];
  expect(entries.map(({ name, type, groups }) => [name, type, groups])).toEqual([
    ["legacy", "basic", undefined],
    ["notes", "oauth2", undefined],
    ["reports", "proxy", ["staff"]],
    ["vault", "proxy", ["staff"]],
    ["wiki", "proxy", undefined],
  ]);
  for (const secret of [...Object.values(SECRETS), LEGACY_PASSWORD, "own-token"]) {
    expect(out + error).not.toContain(secret);
  }
  const [, json] = await run("--json");
  report = JSON.parse(json) as Report;
  const of = Object.groupBy(report.unmapped, ({ hosts }) => hosts.join());
  const reasons = Object.entries(of).map(([host, routes]) => [host, routes?.[0]?.reasons[0]]);
  expect(Object.fromEntries(reasons)).toMatchObject({
    "admin.localhost": expect.stringContaining("Middleware apps/office (ipAllowList) has no equivalent") as string,
    "api.localhost": "no rule serves the whole host, and an entry does",
    "limited.localhost": expect.stringContaining("Middleware apps/limit (rateLimit) has no equivalent") as string,
    "open.localhost": expect.stringContaining("it is open to everyone") as string,
    "split.localhost": "its rule has 2 services, and an entry has one",
  });
  expect(report.before.map((step) => step.split(":")[0])).toEqual([
    "Rename IngressRoute apps/notes",
    "Rename IngressRoute apps/reports",
    "Rename IngressRoute apps/vault",
  ]);
  writeFileSync(join(project, "Pulumi.imported.yaml"), stringify({ config: { ...config, ...document } }));
  const [, command = ""] = /Then run: npx gatehouse plan (.*)\n/.exec(out) ?? [];
  expect(await plan(command.split(" "), { ...SHELL, project, folder: project })).toBe(0);
});

/** Renames a route whose name the deployment uses. */
async function rename(step: string): Promise<void> {
  const [, name = ""] = /^Rename IngressRoute apps\/(\S+):/.exec(step) ?? [];
  const { spec } = (await own.objects.getNamespacedCustomObject({ ...TRAEFIK, namespace: NAMESPACE, name })) as {
    spec: object;
  };
  const metadata = { name: `${name}-old`, namespace: NAMESPACE };
  const body = { apiVersion: "traefik.io/v1alpha1", kind: "IngressRoute", metadata, spec };
  await own.objects.createNamespacedCustomObject({ ...TRAEFIK, namespace: NAMESPACE, body });
  await own.objects.deleteNamespacedCustomObject({ ...TRAEFIK, namespace: NAMESPACE, name });
}

test("returns the same responses as before after the deployment, next to the old routes and without them", async () => {
  const clients = await Promise.all(IMPORTED.map(clientId));
  Object.assign(process.env, {
    LEGACY_PASSWORD,
    NOTES_CLIENT_ID: "notes-new",
    NOTES_CLIENT_SECRET: "a new secret of the client",
  });
  const secure = own.origin("vault.secure.localhost");
  const onHttp = () => withClient(async (client) => statusAndTarget(await client.send(`${secure}/`)));
  expect(await onHttp()).toBe("404");
  const probes = ["reports", "wiki", "legacy"].map((label) => probe(`${url(label)}/`));
  const environment = kubeconfig();
  await followSteps(printed, "Before the deployment", environment, rename);
  await stack.up({ ...config, ...document });
  const others = async () => (await Promise.all(IMPORTED.map(clientId))).filter((id, index) => id !== clients[index]);
  // Of the three hosts behind forward auth; the application of notes has its old client.
  await vi.waitFor(async () => expect((await others()).length).toBe(3), { timeout: 240_000, interval: 500 });
  // As the report states.
  const refused = "API and background requests without a session get 401 instead of a redirect to the login";
  const changed = Object.entries(report.differences).filter(([, list]) => list.includes(refused));
  const labels = changed.map(([host]) => host.replace(".localhost", ""));
  expect(labels).toEqual(["reports", "vault.secure", "wiki"]);
  const expected = { ...before, ...Object.fromEntries(labels.map((label) => [`${label} / with a password`, "401"])) };
  expect(await responses()).toEqual(expected);
  const title = `After the deployment, when npx gatehouse verify ${own.platform.context} reports the old routes only`;
  await followSteps(printed, title, environment, remove);
  const realm = () =>
    withClient(async (client) => (await client.send(`${url("legacy")}/`)).headers["www-authenticate"]);
  await vi.waitFor(async () => expect(await realm()).toBe('Basic realm="legacy"'), { timeout: 240_000, interval: 500 });
  expect(await responses()).toEqual(expected);
  for (const one of probes) {
    await one.stop();
    expect(one.leaked).toEqual([]);
  }
  expect(report.differences["vault.secure.localhost"]).toContain("requests over HTTP are redirected to HTTPS");
  expect(await onHttp()).toBe(`301 ${url("vault.secure")}/`);
  expect(await signedIn("reports", INGE)).toBe("200 reports.localhost");
  expect(await signedIn("reports", GAST)).toBe("200 authentik.localhost");
  expect(await signedIn("notes", INGE)).toBe("200 notes.localhost");
});

/** Follows a step of the report: deletes a route, or some rules of one. Applications of authentik stay. */
async function remove(step: string): Promise<void> {
  const [, kind, name = "", namespace = ""] = / delete (\S+) (\S+) --namespace (\S+)$/.exec(step) ?? [];
  if (kind === "ingress.networking.k8s.io") {
    const ingresses = { group: "networking.k8s.io", version: "v1", plural: "ingresses" };
    await own.objects.deleteNamespacedCustomObject({ ...ingresses, namespace, name });
  } else if (kind !== undefined) {
    await own.objects.deleteNamespacedCustomObject({ ...TRAEFIK, namespace, name });
  }
  const [, from = "", object = "", rules = ""] = /^Remove from IngressRoute (\S+)\/(\S+) only: (.*)$/.exec(step) ?? [];
  if (rules === "") return;
  const at = { ...TRAEFIK, namespace: from, name: object };
  const found = (await own.objects.getNamespacedCustomObject(at)) as { spec: { routes: { match: string }[] } };
  const routes = found.spec.routes.filter(({ match }) => !rules.split(", ").includes(match));
  expect(routes.length).toBe(2);
  await own.objects.replaceNamespacedCustomObject({ ...at, body: { ...found, spec: { ...found.spec, routes } } });
}
