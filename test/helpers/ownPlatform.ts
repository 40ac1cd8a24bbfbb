/** A separate platform for tests that change or break what other tests use. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppsV1Api, CoreV1Api, CustomObjectsApi } from "@kubernetes/client-node";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { parseStack } from "../../config/load.ts";
import program from "../../infra/index.ts";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import type { Settings } from "../../config/settings.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import type { Plan } from "../../infra/plan/types.ts";
import { deploy, destroy, openProgram } from "../../local/deploy.ts";
import { applyYaml } from "../../local/platform/api.ts";
import { type Platform, startPlatform } from "../../local/platform/platform.ts";
import { type Changes, runEngine } from "../../ops/engine/run.ts";
import type { Step } from "../../ops/engine/step.ts";
import type { Progress } from "../../ops/terminal/progress.ts";
import { Administrator, type TestUser } from "../domains/administrator.ts";
import { printPodLogs } from "./podLogs.ts";
import { SILENT } from "../../ops/terminal/progress.ts";
import { identityProvider } from "./sections.ts";

/** Values of the secret variables that the configurations below use. */
export const SECRETS = {
  AUTHENTIK_TOKEN: "own-token",
  AUTHENTIK_ADMIN_PASSWORD: "own-admin-password",
  AUTHENTIK_SECRET_KEY: "own-secret-key",
  AUTHENTIK_DATABASE_PASSWORD: "own-database-password",
  CLIENT_SECRET: "own-client-secret",
  BASIC_PASSWORD: "own-basic-password",
};
export const INGE: TestUser = { username: "inge", name: "Inge Ås", password: "inge's password", groups: ["staff"] };
export const GAST: TestUser = { username: "gast", name: "Gast", password: "gast's password", groups: [] };

/** Config by full key, as in a stack file. */
export type Config = Readonly<Record<string, unknown>>;

/** A service on the echo service of its namespace. */
export interface EchoService extends Readonly<Record<string, unknown>> {
  readonly name: string;
}

/** Returns an entry of `protected_services` whose backend is the echo service. */
export function service(
  name: string,
  fields: Readonly<Record<string, unknown>> = {},
  namespace = "default",
): EchoService {
  const backend = { name: "whoami", namespace, port: 8080 };
  const slug = fields["type"] === "basic" ? {} : { application_slug: name };
  return { name, type: "proxy", description: name, domains: "auto", service: backend, ...slug, ...fields };
}

/** An opened stack, which can be deployed with one configuration after another. */
export interface OwnStack {
  readonly stack: Stack;
  /** Returns the plan of a configuration, without deploying it. */
  planOf(config: Config): Plan;
  up(config: Config, checkpoints?: boolean): Promise<{ readonly plan: Plan; readonly changes: Changes }>;
  /** Returns the steps of a deployment with this configuration, and the engine's output. */
  preview(config: Config): Promise<{ readonly steps: readonly Step[]; readonly output: string }>;
  destroy(): Promise<void>;
  /** Returns the custom resources of the engine's state: URN → id. */
  resources(): Promise<ReadonlyMap<string, string>>;
}

export interface OwnPlatform {
  readonly platform: Platform;
  readonly core: CoreV1Api;
  readonly apps: AppsV1Api;
  readonly objects: CustomObjectsApi;
  /** Origin of the identity provider that {@link installed} deploys. */
  readonly identityProvider: string;
  readonly administrator: Administrator;
  /** Returns the origin of a host on the gateway's entry point for HTTP. */
  origin(host: string): string;
  /** Returns the config of a stack that installs the identity provider and exposes these services on localhost. */
  installed(services: readonly EchoService[], changes?: Config): Config;
  open(stack: string): Promise<OwnStack>;
  stop(): Promise<void>;
}

/** Starts a platform on a new data folder, with an echo service. */
export async function startOwnPlatform(): Promise<OwnPlatform> {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-own-"));
  const platform = await startPlatform({ data, progress: SILENT });
  await deployEcho(platform, "default");
  const own = openOwnPlatform(platform);
  const stop = async (): Promise<void> => {
    await own.stop();
    await platform.stop();
    rmSync(data, { recursive: true, force: true });
  };
  return { ...own, stop };
}

/** Opens a running platform with an echo service; to stop it closes the connections only. */
export function openOwnPlatform(platform: Platform): OwnPlatform {
  Object.assign(process.env, SECRETS);
  printPodLogs(platform.data);
  const kubeconfig = RetryingKubeConfig.fromFile(platform.kubeconfig);
  const origin = (host: string): string => new URL(`http://${host}:${platform.httpPort}`).origin;
  const identityProvider = origin("authentik.localhost");
  const administrator = new Administrator(identityProvider, SECRETS.AUTHENTIK_TOKEN);
  return {
    platform,
    core: kubeconfig.makeApiClient(CoreV1Api),
    apps: kubeconfig.makeApiClient(AppsV1Api),
    objects: kubeconfig.makeApiClient(CustomObjectsApi),
    identityProvider,
    administrator,
    origin,
    installed: (services, changes) => ({
      ...common(platform),
      ...installation(platform),
      ...listed(services),
      ...changes,
    }),
    open: (stack) => openOwn(platform, stack),
    stop: () => administrator.close(),
  };
}

/** Returns the config that every stack on the platform needs. */
export function common({ context, httpPort }: Platform): Config {
  return {
    "kubernetes:context": context,
    "gatehouse:domains": { localhost: { enabled: true, port: httpPort } },
    "gatehouse:gateway": { version: "3.7.13" },
    "gatehouse:test_environments": { enabled: false },
  };
}

export function listed(services: readonly EchoService[]): Config {
  return { "gatehouse:protected_services": services };
}

function installation({ postgres }: Platform): Config {
  process.env["POSTGRES_PASSWORD"] = postgres.password;
  const { host, port } = postgres;
  return {
    "gatehouse:postgres": { host, port, password: "${POSTGRES_PASSWORD}", sslmode: "disable" },
    "gatehouse:identity_provider": identityProvider(),
  };
}

/** Deploys the echo service to a namespace, which it creates if it is missing. */
export async function deployEcho({ kubeconfig }: Platform, namespace: string): Promise<void> {
  const metadata = { name: "whoami", namespace };
  const labels = { app: "whoami" };
  const containers = [{ name: "whoami", image: "traefik/whoami:v1.11.0" }];
  const template = { metadata: { labels }, spec: { containers } };
  const spec = { selector: { matchLabels: labels }, template };
  await applyYaml(kubeconfig, JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }));
  await applyYaml(kubeconfig, JSON.stringify({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec }));
  const ports = [{ name: "http", port: 8080, targetPort: 8080 }];
  const service = { apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports } };
  await applyYaml(kubeconfig, JSON.stringify(service));
}

/** Opens a stack on a running platform. @param progress default: no output */
export async function openOwn(platform: Platform, name: string, progress: Progress = SILENT): Promise<OwnStack> {
  const stack = await openProgram(platform, name, program);
  // Replaces the whole configuration, which no command of the CLI does.
  const configure = async (config: Config): Promise<void> => {
    const values = Object.entries(config).map(([key, value]) => [key, textOf(value)] as const);
    const settings = await stack.workspace.stackSettings(name);
    await stack.workspace.saveStackSettings(name, { ...settings, config: Object.fromEntries(values) });
  };
  const preview: OwnStack["preview"] = async (config) => {
    await configure(config);
    let output = "";
    const onOutput = (text: string): void => void (output += text);
    const { steps } = await runEngine(
      () => undefined,
      (watch) => stack.preview({ ...watch, onOutput, color: "never" }),
    );
    return { steps, output };
  };
  const settingsOf = (config: Config): Settings => {
    const raw = Object.fromEntries(Object.entries(config).map(([key, value]) => [key, { value }]));
    return parseStack({ stack: name, config: raw }, process.env);
  };
  const planOf: OwnStack["planOf"] = (config) => computePlan(settingsOf(config));
  const up: OwnStack["up"] = async (config, checkpoints = false) => {
    await configure(config);
    const settings = settingsOf(config);
    const plan = computePlan(settings);
    return { plan, changes: await deploy({ stack, plan, settings, checkpoints }, progress) };
  };
  const down = async (): Promise<void> => {
    await destroy({ stack }, SILENT);
  };
  return { stack, planOf, up, preview, destroy: down, resources: () => resources(stack) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

async function resources(stack: Stack): Promise<ReadonlyMap<string, string>> {
  const { deployment } = (await stack.exportStack()) as {
    deployment: { resources?: { urn: string; custom: boolean; id?: string }[] };
  };
  const custom = (deployment.resources ?? []).filter((resource) => resource.custom);
  return new Map(custom.map(({ urn, id }) => [urn, id ?? ""]));
}
