import type { PulumiFn, Stack } from "@pulumi/pulumi/automation/index.js";
import { parseStack } from "../../config/load.ts";
import { withHint } from "../../config/errors/userError.ts";
import type { Settings } from "../../config/settings.ts";
import type { Environment } from "../../config/variables/variables.ts";
import { readFacts } from "../../infra/prerequisites/cluster.ts";
import { identityProblem } from "../../infra/prerequisites/clusterIdentity.ts";
import { customKinds } from "../../infra/prerequisites/kinds.ts";
import { problemsOf } from "../../infra/prerequisites/prerequisite.ts";
import { prerequisites } from "../../infra/prerequisites/prerequisites.ts";
import type { ShellEnvironment, StackContext } from "../context/context.ts";
import { decryptedConfig, otherConfiguration } from "../engine/configuration.ts";
import { reasonOf } from "../engine/reason.ts";
import { openEngine, pulumiOf, secretVariables } from "../engine/open.ts";
import { answered, kubeConfigOf } from "../context/kubeconfig.ts";
import { unreachableApi } from "../checks/apiAddress.ts";
import { ownDatabase } from "../clients/databaseAddress.ts";
import { LockFolder } from "../checks/contract/lockFolder.ts";
import { UnreachableError } from "../clients/database.ts";
import { checkPolicyPack } from "../engine/policyPack.ts";
import type { Progress } from "../terminal/progress.ts";
import { findPlugins, emulatedPlugins } from "../toolchain/plugins.ts";
import { brokenContracts } from "../checks/verify/database.ts";
import { otherAuthentikProblems } from "./otherAuthentik.ts";
import { changedNames } from "../engine/databaseNames.ts";
import { missingNamespace, missingNamespaces, requiredNamespaces } from "../checks/namespaces.ts";
import { deployedKinds, refusedPermissions } from "../checks/permissions.ts";
import { completeSchemas, readState, type StackState } from "../engine/state/stackState.ts";
import { errorText } from "../../config/errors/errorText.ts";

/** A deployment that cannot start. Each problem has a hint. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

export interface Ready {
  readonly stack: Stack;
  readonly state: StackState;
  /** The secret template variables in clear. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Context of the engine's configuration. */
  readonly configured: string | undefined;
  /** UID of the cluster; undefined if the user may not read it. */
  readonly uid: string | undefined;
}

interface CheckOptions {
  readonly program: () => Promise<PulumiFn>;
  readonly progress: Progress;
  readonly skipPolicy: boolean;
}

/**
 * Checks configuration, tools, policy pack, cluster, permissions, backend, secrets and contracts.
 * @throws Refusal with every problem, not only the first
 */
export async function checkAll(
  target: StackContext,
  shell: ShellEnvironment,
  { program, progress, skipPolicy }: CheckOptions,
): Promise<Ready> {
  const problems: string[] = [];
  const collect = (error: unknown): undefined => void problems.push(...messagesOf(error));
  // An opened context is checked without secrets.
  const checkSecrets = async () => Promise.resolve(parseStack(target.raw, target.environment));
  const [ready, uid] = await Promise.all([
    checkEngine(target, shell, program, progress).catch(collect),
    checkCluster(target).catch(collect),
    checkSecrets().catch(collect),
    skipPolicy ? undefined : checkPolicyPack(target.environment).catch(collect),
  ]);
  if (ready) {
    problems.push(...(await stateProblems(target, { ...ready, uid })));
    await checkContractOf(target, shell, ready).catch(collect);
  }
  if (problems.length > 0 || !ready) throw new Refusal(problems);
  return { ...ready, uid };
}

/**
 * Checks a state that was completed after an interruption: what the interrupted deployment created can be on other servers, or have other names, than
 * the state before showed.
 * @throws Refusal with every problem
 */
export async function checkRecovered(target: StackContext, ready: Ready): Promise<void> {
  const problems = await stateProblems(target, ready);
  if (problems.length > 0) throw new Refusal(problems);
}

/** Returns why a state is not of the clusters, servers and names of the configuration. */
async function stateProblems(target: StackContext, { configured, state, uid, secrets }: Ready): Promise<string[]> {
  return [
    ...otherContextProblems(target, configured, state),
    ...changedNames(target, state),
    ...otherClusterProblems(target, uid, state),
    ...(await otherAuthentikProblems(target, state, secrets)),
  ];
}

/** Returns the problems of a refusal; of any other error its text. */
export function messagesOf(error: unknown): readonly string[] {
  return error instanceof Refusal ? error.problems : [errorText(error)];
}

/** Returns the UID of the cluster; undefined if the user may not read it. */
async function checkCluster({ context, environment, settings, plan }: StackContext): Promise<string | undefined> {
  const config = kubeConfigOf(context, environment);
  const facts = await answered(config, readFacts(config, customKinds(settings, plan), settings));
  const other = identityProblem(settings, facts.uid);
  if (other !== undefined) throw new Error(other);
  const problems = problemsOf(prerequisites(settings, plan, facts));
  const unreachable = await unreachableApi({ settings, plan }, config);
  if (unreachable) problems.push(withHint(unreachable.problem, unreachable.hint));
  const missing = await answered(config, missingNamespaces(config, requiredNamespaces(settings, plan)));
  for (const { problem, hint } of missing.map(missingNamespace)) problems.push(withHint(problem, hint));
  const refused = await answered(config, refusedPermissions(config, deployedKinds(settings, plan)));
  if (refused.length > 0) {
    const lines = refused.map((line) => `  ${line}`).join("\n");
    problems.push(
      `the user of context "${context}" may not:\n${lines}\nAsk the cluster's administrator for a role with these permissions.`,
    );
  }
  if (problems.length > 0) throw new Refusal(problems);
  return facts.uid;
}

async function checkEngine(
  target: StackContext,
  shell: ShellEnvironment,
  program: CheckOptions["program"],
  progress: Progress,
): Promise<Omit<Ready, "uid">> {
  const loaded = await program();
  const pulumi = await pulumiOf(target, progress);
  if (!target.local) await checkPlugins(pulumi, target.environment, progress);
  const stack = await openEngine(target, shell, loaded, progress, true);
  const config = await decryptedConfig(target, stack);
  const other = otherConfiguration(target, config);
  if (other.length > 0) throw new Refusal(other);
  const state = await readState(stack);
  return { stack, state, secrets: secretVariables(config), configured: config["kubernetes:context"]?.value };
}

async function checkPlugins(pulumi: string, environment: Environment, progress: Progress): Promise<void> {
  const reasons = new Map<string, string>();
  const onFailure = (error: unknown, name: string): void =>
    void reasons.set(name, `cannot be installed: ${reasonOf(error)}`);
  const lines = emulatedPlugins(await findPlugins(pulumi, environment, progress, onFailure)).map(({ name, version }) =>
    withHint(
      `the provider plugin ${name} ${version} ${reasons.get(name) ?? "is not installed"}`,
      `run: ${pulumi} plugin install resource ${name} ${version}`,
    ),
  );
  if (lines.length > 0) throw new Refusal(lines);
}

/**
 * Returns why a deployment would be to another context than the named one. The state names the context of its resources, and a move to another would
 * delete them there.
 * @param configured context of the engine's configuration
 */
export function otherContextProblems(
  { context, stack, settings }: Pick<StackContext, "context" | "stack"> & { settings: Pick<Settings, "cluster"> },
  configured: string | undefined,
  { contexts }: Pick<StackState, "contexts">,
): string[] {
  const { cluster } = settings;
  if (configured !== cluster.contexts[0]) {
    return [
      `the engine would deploy stack "${stack}" to context "${configured ?? ""}", not to "${context}". ` +
        `Correct kubernetes:context in Pulumi.${stack}.yaml.`,
    ];
  }
  const others = contexts.filter((other) => !cluster.contexts.includes(other));
  if (others.length === 0) return [];
  return [
    `stack "${stack}" is deployed to context "${others.join('", "')}", where this deployment would delete it. To move it to ` +
      `"${context}", first run pulumi destroy --stack ${stack} with the old context, or use another stack for the new cluster.`,
  ];
}

/**
 * Returns why the cluster is not the one of the last deployment: k3s calls every context `default`.
 * @param uid of the cluster that answered; undefined if the user may not read it
 */
export function otherClusterProblems(
  { context, stack }: Pick<StackContext, "context" | "stack">,
  uid: string | undefined,
  state: Pick<StackState, "uid">,
): string[] {
  if (uid === undefined || state.uid === undefined || uid === state.uid) return [];
  return [
    `stack "${stack}" is deployed to the cluster with UID ${state.uid}, and context "${context}" is the cluster with UID ${uid}. Set KUBECONFIG to ` +
      "the kubeconfig of the stack's cluster; to move the stack, see docs/operations/moving.md; or use another stack for the new cluster.",
  ];
}

/**
 * Checks the contracts of the database, unless the stack installs it: it may not exist yet or not be reachable from here, and `verify` checks it in
 * the cluster.
 */
async function checkContractOf(
  target: StackContext,
  { project }: ShellEnvironment,
  { secrets, state }: Pick<Ready, "secrets" | "state">,
): Promise<void> {
  const { stack, environment, settings, plan } = target;
  if (!settings.dataApi || !plan.data || settings.postgres?.install || !settings.postgres?.host) return;
  const connection = ownDatabase({ ...target, environment: { ...environment, ...secrets } });
  const contracts = new LockFolder(project, stack);
  const broken = await brokenContracts({ connection, contracts }, plan.data, completeSchemas(state)).catch(
    (error: unknown) => {
      if (!(error instanceof UnreachableError)) throw error;
      throw new Error(
        `${error.message}. Start it, or make it reachable from this machine: its contracts are checked before a deployment.`,
      );
    },
  );
  if (broken.length > 0) throw new Refusal(broken);
}
