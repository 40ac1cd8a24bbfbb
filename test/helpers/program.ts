import * as pulumi from "@pulumi/pulumi";
import type { RawStack } from "../../config/load.ts";
import program from "../../infra/index.ts";
import type { Servers } from "../../infra/servers.ts";
import { CATALOG_FILES } from "./catalogFiles.ts";
import { VERIFY_BUNDLE } from "./verifyBundle.ts";
import { record, type Recorder } from "./recorder.ts";

/** Maximum milliseconds of a test with a deployment on a busy machine. */
export const PATIENCE = 600_000;

/** Returns the value of a secret variable, which tests search in outputs. */
export const canary = (variable: string): string => `canary-${variable.toLowerCase()}`;

/** Configures the engine with a stack's configuration. Every variable that is not set is secret. */
export function configure({ config }: RawStack): void {
  const values = Object.entries(config).map(([key, entry]): [string, string] => {
    const value = "value" in entry ? entry.value : undefined;
    return [key, typeof value === "string" ? value : JSON.stringify(value)];
  });
  const named = JSON.stringify(config).matchAll(/\$\{(\w+)\}/g);
  const missing = [...new Set(Array.from(named, ([, name = ""]) => name))].filter(
    (name) => config[`variables:${name}`] === undefined,
  );
  pulumi.runtime.setAllConfig(
    Object.fromEntries([...values, ...missing.map((name) => [`variables:${name}`, canary(name)])]) as Record<
      string,
      string
    >,
    missing.map((name) => `variables:${name}`),
  );
}

/** Servers that are ready at once, an authentik with every group, and a cluster that does not answer; test/e2e and test/local have real ones. */
export const NO_SERVERS: Servers = {
  clusterFacts: () => Promise.resolve(undefined),
  findGroup: (_url, _token, name) => Promise.resolve({ id: `group-${name}`, superusers: false }),
  pluginsResolve: () => Promise.resolve(false),
  waitUntilAnswers: () => Promise.resolve(),
  waitUntilReady: () => Promise.resolve(),
};

/**
 * Deploys a stack with mocks, no servers and a catalog that needs no build.
 * @param servers what answers instead
 */
export async function deploy(raw: RawStack, servers: Partial<Servers> = {}): Promise<Recorder> {
  configure({ ...raw, config: { "kubernetes:context": { value: "somewhere" }, ...raw.config } });
  const args = {
    readCatalog: () => CATALOG_FILES,
    readJob: () => VERIFY_BUNDLE,
    servers: { ...NO_SERVERS, ...servers },
  };
  return (await record(() => program(args))).recorder;
}
