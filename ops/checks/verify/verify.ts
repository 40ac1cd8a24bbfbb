import type { KubeConfig } from "@kubernetes/client-node";
import { outsideTarget } from "../../../infra/verification/outsideTarget.ts";
import { decryptedVariables, openCli } from "../../engine/pulumiCli.ts";
import type { ShellEnvironment, StackContext } from "../../context/context.ts";
import { kubeConfigOf } from "../../context/kubeconfig.ts";
import type { Progress } from "../../terminal/progress.ts";
import { accountsOf } from "./accounts.ts";
import { type Check, skip } from "../check.ts";
import { clusterProbes } from "./cluster.ts";
import { UserError } from "../../../config/errors/userError.ts";
import { redactAll, withoutSecrets } from "../redact.ts";
import { credentialsOf, type Secrets, secretsOf } from "../secrets.ts";
import { databaseOf, type Unreachable } from "./databaseOf.ts";
import { checkDatabase, checkIdentityDatabase, type DatabaseTarget, identityCheck } from "./database.ts";
import type { RouteResponse } from "./gateway.ts";
import { outsideProbes, Observations } from "./outside.ts";
import { hintOf, type Kind, KINDS } from "./hints.ts";
import { type Probe, type ProbeCheck, runProbes } from "./probe.ts";

export interface Report {
  readonly context: string;
  readonly stack: string;
  /** When it began; UTC, ISO 8601. */
  readonly at: string;
  readonly seconds: number;
  /** The response of each exposure without a session. */
  readonly routes: readonly RouteResponse[];
  readonly checks: readonly ProbeCheck[];
}

/**
 * Probes every exposure, relation and grant of a context's deployment, from this machine. What cannot be checked from here (no access to the
 * cluster, to its secrets, no account that can sign in) is skipped, with the reason and a hint.
 * @param only kinds of checks; default: all
 */
export async function verifyContext(
  context: StackContext,
  shell: ShellEnvironment,
  progress: Progress,
  only: readonly Kind[] = KINDS,
): Promise<Report> {
  const began = new Date();
  const observations = new Observations();
  const secrets = await secretsOf(context, () =>
    progress.step("Reading the stack's secrets", async () =>
      decryptedVariables(await openCli(context, shell, progress)),
    ),
  );
  const cluster = clusterOf(context);
  const accounts = await accountsOf(context, cluster, secrets);
  const probes = [
    ...outsideProbes(outsideTarget(context.settings, context.plan), accounts, observations),
    ...(only.includes("database") ? await databaseProbes(context, shell, secrets, cluster) : []),
    ...clusterProbes(context, cluster),
  ].filter(({ kind }) => only.includes(kind));
  const found = await progress.step("Verifying the deployment", (report) => runProbes(probes, report));
  const users = "reason" in cluster ? undefined : cluster;
  const redact = withoutSecrets([...Object.values(secrets.known), ...credentialsOf(context, users)]);
  const checks = found.map((result) => withHint(redactAll(result, redact), context));
  const routes = context.plan.exposures.flatMap(({ id }) => observations.routes.get(id) ?? []);
  const seconds = Math.round((Date.now() - began.getTime()) / 100) / 10;
  return { context: context.context, stack: context.stack, at: began.toISOString(), seconds, routes, checks };
}

async function databaseProbes(
  context: StackContext,
  shell: ShellEnvironment,
  secrets: Secrets,
  cluster: KubeConfig | Unreachable,
): Promise<Probe[]> {
  const { settings, plan } = context;
  const { install, database } = settings.identityProvider;
  const identity = install ? database : undefined;
  const { data } = plan;
  const some = data?.database ?? identity?.name;
  if (some === undefined) return [];
  const target = await databaseOf(context, shell, secrets, cluster, some);
  const probe = (name: string, title: string, check: (found: DatabaseTarget) => Promise<Check[]>): Probe => ({
    kind: "database",
    subject: `database ${name}`,
    run: () => ("reason" in target ? Promise.resolve([skip(title, target.reason, target.hint)]) : check(target)),
  });
  const probes: Probe[] = [];
  if (data) probes.push(probe(data.database, "grants and contracts", (found) => checkDatabase(found, data)));
  if (identity) {
    const check = async (found: DatabaseTarget) => [
      await checkIdentityDatabase(found, identity, settings.postgres?.superuser ?? true),
    ];
    probes.push(probe(identity.name, identityCheck(identity.name), check));
  }
  return probes;
}

function withHint(result: ProbeCheck, context: StackContext): ProbeCheck {
  return result.ok || result.hint !== undefined ? result : { ...result, hint: hintOf(result, context) };
}

/** Returns the kubeconfig of the context, or why there is none. */
function clusterOf(context: StackContext): KubeConfig | Unreachable {
  try {
    const config = kubeConfigOf(context.context, context.environment);
    const { problem, hint = "" } = context.notCompared ?? {};
    return problem === undefined ? config : { reason: problem, hint, failed: true };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { reason: error.problem, hint: "set KUBECONFIG to a file that has the context" };
  }
}
