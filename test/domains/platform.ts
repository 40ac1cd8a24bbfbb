/** One running platform with a stack of every domain kind, for all tests of the folder. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import type { Plan } from "../../infra/plan/types.ts";
import { deploy, openLocal } from "../../local/deploy.ts";
import { startPlatform } from "../../local/platform/platform.ts";
import { deployApplications } from "../../local/sample/applications.ts";
import { Administrator, type TestUser } from "./administrator.ts";
import { configChanges } from "./stack.ts";
import { startUpstream } from "./upstream.ts";
import { SILENT } from "../../ops/terminal/progress.ts";

/** Properties of the platform that tests can inject. */
interface DomainsPlatform {
  readonly plan: Plan;
  readonly kubeconfig: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  /** Secret template variables in clear. */
  readonly variables: Readonly<Record<string, string>>;
  readonly users: readonly TestUser[];
}

declare module "vitest" {
  interface ProvidedContext {
    domains: DomainsPlatform;
  }
}

const users: readonly TestUser[] = [
  { username: "inge", name: "Inge Ås", password: "inge's password", groups: ["staff"] },
  { username: "gast", name: "Gast", password: "gast's password", groups: ["guests"] },
];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const data = mkdtempSync(join(tmpdir(), "gatehouse-domains-"));
  const platform = await startPlatform({ data, progress: SILENT });
  const upstream = await startUpstream(platform.httpPort);
  const stop = async (): Promise<void> => {
    await upstream.stop();
    await platform.stop();
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const { httpPort, httpsPort, kubeconfig } = platform;
    const local = await openLocal(platform, configChanges({ https: httpsPort, upstream: upstream.port }));
    await deployApplications(platform);
    await deploy(local, SILENT);
    const { plan, variables } = local;
    const identityProvider = plan.exposures.find(({ role }) => role === "identity-provider")?.url ?? "";
    const administrator = new Administrator(identityProvider, variables["AUTHENTIK_TOKEN"] ?? "");
    for (const user of users) await administrator.create(user);
    await administrator.close();
    project.provide("domains", { plan, kubeconfig, httpPort, httpsPort, variables: { ...variables }, users });
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
