/** Collects the evidence, each part by itself: a part that fails does not end the others. */
import { join } from "node:path";
import type { KubeConfig } from "@kubernetes/client-node";
import pLimit from "p-limit";
import type { Settings } from "../../../config/settings.ts";
import type { Exposure } from "../../../infra/plan/types.ts";
import { authentikOrigin, type ShellEnvironment, type StackContext } from "../../context/context.ts";
import { decryptedVariables, openInstalledCli } from "../../engine/pulumiCli.ts";
import { clusterConfigOf } from "../../context/clusterIdentity.ts";
import { providerAt } from "./symptom.ts";
import { domainOf } from "./causes/unplannedHost.ts";
import { credentialsOf, type Secrets, sampleUsers, secretsOf } from "../secrets.ts";
import { isAllowed } from "../../../protections/allowedUsers.ts";
import type { Evidence } from "./evidence.ts";
import { requestExposure, requestHost, type TestUser } from "./evidence/answers.ts";
import { observeCluster } from "./evidence/cluster.ts";
import { observeEngine } from "./evidence/engine.ts";
import { observeIdentity, observeOwnOrigin } from "./evidence/identity.ts";
import { observeName } from "./evidence/dns.ts";
import { MAX_OBSERVATION_MS, type Observation, observe, required } from "../observation.ts";

const MAX_CONCURRENT_HOSTS = 8;
const MAX_DURATION_MS = 60_000;

/**
 * Collects the evidence of a deployment from its hosts, the cluster, the identity provider and the engine.
 * @param host the only host to observe, planned or not; undefined = all of the plan
 * @returns the evidence, every known secret, and the URL that was requested for an unplanned host
 */
export async function collect(context: StackContext, shell: ShellEnvironment, host: string | undefined) {
  const { settings, plan } = context;
  // A download or a build takes longer than an observation.
  const cli = await observe("the Pulumi CLI", () => openInstalledCli(context, shell, MAX_OBSERVATION_MS));
  const secrets = await secretsOf(context, async () => decryptedVariables(required(cli)));
  let kubeconfig: KubeConfig | undefined;
  const open = (): KubeConfig => (kubeconfig ??= clusterConfigOf(context));
  const exposures = plan.exposures.filter((one) => host === undefined || one.host === host);
  const unplanned = exposures.length === 0 ? host : undefined;
  const hosts = [...new Set([...exposures.map((one) => one.host), ...(unplanned ? [unplanned] : [])])];

  const [cluster, identity, ownOrigin, engine, names, answers, other] = await Promise.all([
    observeCluster(open, plan),
    observeIdentity(authentikOrigin(context), tokenOf(settings, secrets)),
    observeOwnOrigin(plan),
    observeEngine(cli, context.local ? join(shell.data, "workspace") : shell.project),
    mapUntilDeadline(hosts, async (one) => [one, await observeName(one)] as const),
    requestAll(exposures, sampleUsers(settings, secrets)),
    unplanned === undefined ? undefined : requestHost(unplanned, originsOf(unplanned, context)),
  ]);
  const all = new Map([...answers, ...(other ? [[other.url, other.answers] as const] : [])]);
  const evidence: Evidence = {
    context: context.context,
    given: context.given,
    settings,
    plan,
    cluster,
    identity,
    ownOrigin,
    engine,
    names: new Map(names),
    answers: all,
    notRequested: exposures.length - answers.length,
  };
  return {
    evidence,
    secrets: [...Object.values(secrets.known), ...credentialsOf(context, kubeconfig)],
    url: other?.url ?? "",
  };
}

function tokenOf({ identityProvider: { token } }: Settings, { reveal, problem }: Secrets): Observation<string> {
  const value = reveal(token);
  if (value !== undefined) return { value };
  return { unavailable: `${token.variables.join(", ")} not set${problem === undefined ? "" : ` (${problem})`}` };
}

type AnswersOfUrl = readonly [string, Awaited<ReturnType<typeof requestExposure>>];

function requestAll(exposures: readonly Exposure[], users: readonly TestUser[]): Promise<AnswersOfUrl[]> {
  return mapUntilDeadline(exposures, async (exposure): Promise<AnswersOfUrl> => {
    const user =
      exposure.authentication === "forward-auth" ? users.find(({ groups }) => isAllowed(exposure, groups)) : undefined;
    return [exposure.url, await requestExposure(exposure, user)];
  });
}

/** Works through a list, some at a time, in order; what has not begun after a minute is left out. */
async function mapUntilDeadline<T, R>(list: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const limit = pLimit(MAX_CONCURRENT_HOSTS);
  const end = Date.now() + MAX_DURATION_MS;
  const results = list.map((one) => limit(async () => (Date.now() < end ? [await work(one)] : [])));
  return (await Promise.all(results)).flat();
}

/** Origins at which an unplanned host may answer: that of an existing identity provider, or that of its own domain, then those of the others. */
function originsOf(host: string, { settings: { domains }, plan }: StackContext): string[] {
  const provider = providerAt(host, plan);
  if (provider !== undefined) return [provider];
  const own = domainOf(host, domains);
  const like = [...(own ? [own] : []), ...domains.filter(({ enabled }) => enabled)];
  const origins = like.map(({ protocol, port }) => new URL(`${protocol}://${host}${port ? `:${port}` : ""}`).origin);
  return [...new Set(origins)];
}
