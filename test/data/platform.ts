/** One running platform with the data API in its default limits, the sample data and the fixtures, for all tests of the folder. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { TestProject } from "vitest/node";
import { publicUrl } from "../../infra/data/dataApi.ts";
import type { DataPlan } from "../../infra/plan/types.ts";
import { deploy, type LocalStack, openLocal } from "../../local/deploy.ts";
import { type Platform, startPlatform } from "../../local/platform/platform.ts";
import { loadSampleOf } from "../../local/sample.ts";
import { SILENT } from "../../ops/terminal/progress.ts";
import { identityProvider, VERIFICATION } from "../helpers/sections.ts";

/** Properties of the platform that tests can inject. */
interface RunningData {
  /** Data folder of the platform. */
  readonly data: string;
  readonly kubeconfig: string;
  /** Namespace of PostgREST. */
  readonly namespace: string;
  /** Port of the gateway on 127.0.0.1. */
  readonly gatewayPort: number;
  /** Origin of the data API for browsers. */
  readonly url: string;
  /** Origin of the web catalog. */
  readonly catalogUrl: string;
  /** Port of Postgres on 127.0.0.1. */
  readonly postgresPort: number;
  readonly plan: DataPlan;
  /** Passwords of the roles that log in, by the role's name. */
  readonly passwords: Readonly<Record<string, string>>;
}

declare module "vitest" {
  interface ProvidedContext {
    data: RunningData;
  }
}

/** Config that replaces that of the local stack: only the data API, with one deprecated schema. */
const configChanges = {
  "gatehouse:protected_services": [],
  "gatehouse:test_environments": { enabled: false },
  "gatehouse:identity_provider": identityProvider(),
  "gatehouse:verification": VERIFICATION,
  "gatehouse:data_api": {
    domains: "auto",
    schemas: {
      // Dates without quotes in the engine's copy of the stack file, as users write them.
      deprecated: { raw: { since: "2026-01-01", sunset: "2027-01-01", link: "https://data.example.org/versions" } },
    },
    authenticator_password: "${DATA_AUTHENTICATOR_PASSWORD}",
    owner_password: "${DATA_OWNER_PASSWORD}",
  },
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-data-"));
  const platform = await startPlatform({ data, progress: SILENT });
  const stop = async (): Promise<void> => {
    await platform.stop();
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const local = await openLocal(platform, configChanges);
    await deploy(local, SILENT);
    await loadSampleOf(platform, local);
    const running = runningData(platform, local);
    await loadFixtures(running);
    project.provide("data", running);
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}

function runningData(platform: Platform, { plan, settings, variables }: LocalStack): RunningData {
  const { data: database, exposures } = plan;
  const url = publicUrl(exposures);
  const catalogUrl = exposures.find(({ role }) => role === "catalog")?.url;
  if (!database || !settings.dataApi || url === undefined || catalogUrl === undefined)
    throw new Error("the local stack has no data API with a catalog");
  const { administrator, authenticator, owner } = database.roles;
  return {
    data: platform.data,
    kubeconfig: platform.kubeconfig,
    namespace: settings.dataApi.namespace,
    gatewayPort: platform.httpPort,
    url,
    catalogUrl,
    postgresPort: platform.postgres.port,
    plan: database,
    passwords: {
      [administrator]: platform.postgres.password,
      [authenticator]: variables["DATA_AUTHENTICATOR_PASSWORD"] ?? "",
      [owner]: variables["DATA_OWNER_PASSWORD"] ?? "",
    },
  };
}

/** Loads the fixtures like a pipeline: as the owner, each file in a transaction. */
async function loadFixtures({ postgresPort: port, plan, passwords }: RunningData): Promise<void> {
  const { owner: user } = plan.roles;
  const client = new Client({ host: "127.0.0.1", port, database: plan.database, user, password: passwords[user] });
  const folder = join(import.meta.dirname, "fixtures");
  await client.connect();
  try {
    for (const file of readdirSync(folder).sort()) await client.query(readFileSync(join(folder, file), "utf8"));
  } finally {
    await client.end();
  }
}
