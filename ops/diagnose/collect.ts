/** Looks at everything, each part for itself: what is broken is a finding, not an end. */
import { join } from "node:path";
import type { KubeConfig } from "@kubernetes/client-node";
import type { Exposure } from "../../infra/plan/types.ts";
import type { Place, StackContext } from "../context/context.ts";
import { kubeConfigOf } from "../context/kubeconfig.ts";
import { domainOf } from "./causes/stranger.ts";
import type { Evidence } from "./evidence.ts";
import { askExposure, askHost, type Person } from "./evidence/answers.ts";
import { lookAtCluster } from "./evidence/cluster.ts";
import { decryptedVariables, lookAtEngine, lookForCli } from "./evidence/engine.ts";
import { lookAtIdentity, lookAtOwnOrigin } from "./evidence/identity.ts";
import { lookAtName } from "./evidence/names.ts";
import { inTurns } from "./look.ts";
import { Secrets } from "./secrets.ts";

export interface Collected {
  readonly evidence: Evidence;
  /** Every secret that came by. */
  readonly secrets: readonly string[];
  /** What was asked for a host that is not in the plan. */
  readonly url: string;
}

/**
 * @param host only this one is asked, in the plan or not; undefined = all of the plan
 */
export async function collect(context: StackContext, place: Place, host: string | undefined): Promise<Collected> {
  const { settings, plan } = context;
  const cli = await lookForCli(context, place);
  const variables = context.local ? undefined : await decryptedVariables(cli);
  const secrets = new Secrets(context, variables ?? { unseen: "this platform keeps them itself" });
  let kubeconfig: KubeConfig | undefined;
  const open = (): KubeConfig => (kubeconfig ??= kubeConfigOf(context.context, context.environment));
  const exposures = plan.exposures.filter((one) => host === undefined || one.host === host);
  const stranger = exposures.length === 0 ? host : undefined;
  const hosts = [...new Set([...exposures.map((one) => one.host), ...(stranger ? [stranger] : [])])];

  const [cluster, identity, ownOrigin, engine, names, answers, other] = await Promise.all([
    lookAtCluster(open, settings),
    lookAtIdentity(settings.identityProvider.apiUrl ?? plan.identityProviderUrl, secrets.token),
    lookAtOwnOrigin(plan),
    lookAtEngine(cli, context.local ? join(place.data, "workspace") : place.project),
    inTurns(hosts, async (one) => [one, await lookAtName(one)] as const),
    askAll(exposures, secrets.people()),
    stranger === undefined ? undefined : askHost(stranger, originsOf(stranger, context)),
  ]);
  const all = new Map([...answers, ...(other ? [[other.url, other.answers] as const] : [])]);
  const seenThere = {
    cluster,
    identity,
    ownOrigin,
    engine,
    names: new Map(names),
    answers: all,
    notAsked: exposures.length - answers.length,
  };
  const evidence = { context: context.context, settings, plan, ...seenThere };
  return { evidence, secrets: secrets.values(kubeconfig), url: other?.url ?? "" };
}

type Asked = readonly [string, Awaited<ReturnType<typeof askExposure>>];

function askAll(exposures: readonly Exposure[], people: readonly Person[]): Promise<Asked[]> {
  return inTurns(exposures, async (exposure): Promise<Asked> => {
    const person = exposure.authentication === "forward-auth" ? whoMayEnter(exposure, people) : undefined;
    return [exposure.url, await askExposure(exposure, person)];
  });
}

function whoMayEnter({ groups }: Exposure, people: readonly Person[]): Person | undefined {
  return people.find((person) => groups.length === 0 || person.groups.some((group) => groups.includes(group)));
}

/** Where a host of no exposure would answer: as its own domain says, then as the others do. */
function originsOf(host: string, { settings: { domains } }: StackContext): string[] {
  const own = domainOf(host, domains);
  const like = [...(own ? [own] : []), ...domains.filter(({ enabled }) => enabled)];
  const origins = like.map(({ protocol, port }) => new URL(`${protocol}://${host}${port ? `:${port}` : ""}`).origin);
  return [...new Set(origins)];
}
