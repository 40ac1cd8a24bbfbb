/** Checks everything that a first deployment requires. Changes nothing in the cluster, the database and the identity provider. */
import type { KubeConfig } from "@kubernetes/client-node";
import { UserError, withHint } from "../../../config/errors/userError.ts";
import { readFacts } from "../../../infra/prerequisites/cluster.ts";
import { customKinds } from "../../../infra/prerequisites/kinds.ts";
import { decryptedVariables, openInstalledCli } from "../../engine/pulumiCli.ts";
import type { ShellEnvironment, StackContext } from "../../context/context.ts";
import { clusterConfigOf } from "../../context/clusterIdentity.ts";
import { answered } from "../../context/kubeconfig.ts";
import type { Progress } from "../../terminal/progress.ts";
import { observe, required, rootReason } from "../observation.ts";
import { redactAll, redactor } from "../redact.ts";
import { credentialsOf, secretsOf } from "../secrets.ts";
import { type Check, failed, type ReportedCheck, skip } from "../check.ts";
import { cluster } from "./cluster.ts";
import { addresses, identityProvider } from "./identityProvider.ts";
import type { Inputs, ReachedCluster } from "./inputs.ts";
import { externalDns, names } from "./dns.ts";
import { operators } from "./operators.ts";
import { postgres } from "./postgres.ts";
import { stack } from "./stack.ts";
import { tools } from "./tools.ts";
import { traefik } from "./traefik.ts";

export interface Report {
  readonly context: string;
  readonly stack: string;
  readonly checks: readonly ReportedCheck[];
}

type Run = (inputs: Inputs) => Promise<readonly Check[]>;

/** The checks, in the order of the report. */
const TABLE: readonly (readonly [subject: string, run: Run])[] = [
  ["Local tools", tools],
  ["Stack", stack],
  ["Cluster", inCluster(cluster, "API server")],
  ["Traefik", inCluster(traefik)],
  ["DNS", names],
  ["DNS", inCluster(externalDns)],
  ["Operators", inCluster(operators)],
  ["Identity provider", inCluster(addresses)],
  ["Identity provider", identityProvider],
  ["Postgres", postgres],
];

export const SUBJECTS: readonly string[] = [...new Set(TABLE.map(([subject]) => subject))];

/** How long the Pulumi CLI and the cluster may take to answer, in milliseconds. */
const TIMEOUT_MS = 60_000;

/**
 * Runs all checks. What cannot be reached is one failed check; those that need it are skipped.
 * @param subjects only these; default: all
 */
export async function runDoctor(
  target: StackContext,
  shell: ShellEnvironment,
  progress: Progress,
  subjects = SUBJECTS,
): Promise<Report> {
  let kubeconfig: KubeConfig | undefined;
  const read = async (): Promise<ReachedCluster> => {
    const { settings, plan } = target;
    const config = (kubeconfig = clusterConfigOf(target));
    const reading = readFacts(config, customKinds(settings, plan), settings);
    return { config, facts: await answered(config, reading) };
  };
  const found = await progress.step(`Checking the prerequisites of ${target.context}`, async (report) => {
    const [cli, reached] = await Promise.all([
      observe("Pulumi", () => openInstalledCli(target, shell, TIMEOUT_MS), TIMEOUT_MS),
      read().catch(userError),
    ]);
    const secrets = await secretsOf(target, async () => decryptedVariables(required(cli)));
    const inputs: Inputs = { target, shell, cli, secrets, cluster: reached };
    let done = 0;
    const chosen = TABLE.filter(([subject]) => subjects.includes(subject));
    const results = chosen.map(async ([subject, run]) => {
      const checks = await run(inputs).catch((error: unknown) => {
        const hint = `check ${subject} by hand (docs/prerequisites.md)`;
        return [failed("all checks", `could not run: ${rootReason(error)}`, hint)];
      });
      report(`${++done} of ${chosen.length} subjects`);
      return checks.map((check): ReportedCheck => ({
        subject,
        ...check,
        ...(check.hint && { hint: sentence(check.hint) }),
      }));
    });
    return { secrets, checks: (await Promise.all(results)).flat() };
  });
  const redact = redactor([...Object.values(found.secrets.known), ...credentialsOf(target, kubeconfig)]);
  return { context: target.context, stack: target.stack, checks: redactAll(found.checks, redact) };
}

/** @param reports name of the check that reports a cluster that does not answer; only one subject does */
function inCluster(run: (inputs: Inputs, reached: ReachedCluster) => Promise<readonly Check[]>, reports?: string): Run {
  return async (inputs) => {
    const { cluster: reached } = inputs;
    if (!(reached instanceof UserError)) return run(inputs, reached);
    if (reports === undefined) return [skip("in the cluster", "not checked: the cluster cannot be read", "")];
    return [failed(reports, reached.problem, reached.hint ?? "")];
  };
}

function userError(error: unknown): UserError {
  if (error instanceof UserError) return error;
  throw error;
}

/** Returns a hint as a sentence; one that ends with a command or a configuration gets no full stop, so that it can be copied. */
function sentence(hint: string): string {
  return hint.endsWith("}") ? hint.charAt(0).toUpperCase() + hint.slice(1) : withHint("", hint).slice(2);
}
