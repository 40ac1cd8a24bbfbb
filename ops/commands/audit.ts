/** `npx gatehouse audit`: compares a cluster with the plan of its stack, and reports routes that bypass it. See docs/policy.md. */
import { append, runCommand } from "./command.ts";
import type { Shell } from "./shell.ts";
import { audit, auditedObjects } from "../checks/audit/audit.ts";
import { installedPostgres } from "../checks/audit/installedPostgres.ts";
import { describeFinding, type Finding } from "../checks/finding.ts";
import { readClusterObjects } from "../clients/clusterObjects.ts";
import { clusterConfigOf, openCluster } from "../context/clusterIdentity.ts";
import { unreachableCluster } from "../context/kubeconfig.ts";
import { type Paint, signOf } from "../terminal/paint.ts";
import { counted, jsonText } from "../text.ts";

interface Options {
  readonly json?: true;
  readonly accept: readonly string[];
}

/**
 * Runs the command.
 * @returns the exit code: 0 when all is as planned, 1 when something is not, 2 for a wrong command line, configuration or context, and for
 *   a cluster that cannot be reached
 */
export function main(args: readonly string[], shell: Shell): Promise<number> {
  return runCommand("audit", args, shell, (command, end) =>
    command
      .argument("<context>", "context of the cluster, as in the kubeconfig")
      .option("--json", "print the findings as JSON")
      .option("--accept <object>", 'ignore an object, e.g. "IngressRoute default/old"; may be repeated', append, [])
      .action(async (context: string, options: Options) => end(await run(context, options, shell))),
  );
}

async function run(name: string, { json, accept }: Options, shell: Shell): Promise<number> {
  const target = await openCluster(name, shell);
  const { context, given, plan, settings } = target;
  const kubeConfig = clusterConfigOf(target);
  const objects = await readClusterObjects(kubeConfig).catch((error: unknown) => {
    throw unreachableCluster(kubeConfig, error);
  });
  const { gateway, observability } = settings;
  const findings = audit(objects, plan, {
    context,
    given,
    gateway,
    observability,
    postgres: installedPostgres(settings),
    accepted: accept,
  });
  const audited = auditedObjects(plan);
  if (json) {
    shell.out(jsonText({ context, stack: plan.stack, ok: findings.length === 0, audited, findings }));
  } else shell.out(report(context, findings, audited, shell.paint));
  return findings.length === 0 ? 0 : 1;
}

function report(
  context: string,
  findings: readonly Finding[],
  audited: Readonly<Record<string, number>>,
  paint: Paint,
): string {
  if (findings.length === 0) {
    const counts = Object.entries(audited).map(([what, count]) => `${count} ${what}`);
    return `${signOf("passed", paint)} ${context} is as planned: ${counts.join(", ")}, no finding\n`;
  }
  const title = `${counted(findings.length, "finding")} in ${context}`;
  const parts = findings.map((one) => describeFinding(one, paint).join("\n"));
  return `${[title, ...parts].join("\n\n")}\n`;
}
