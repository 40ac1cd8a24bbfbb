/** The accounts that can sign in to a deployment from this machine. */
import { CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import { protectionOf } from "../../../protections/table.ts";
import type { StackContext } from "../../context/context.ts";
import { readMachineAccount } from "./machine.ts";
import { reasonOf } from "../reason.ts";
import { type Secrets, sampleUsers } from "../secrets.ts";
import type { Callers } from "./signInProbes.ts";

/**
 * The sample users where there are some (localhost alone), else a machine: the account of `gatehouse:verification`, or else the first of the
 * list, whose Secret is in the cluster.
 */
export async function callersOf(
  { settings }: StackContext,
  cluster: KubeConfig | Error,
  secrets: Pick<Secrets, "reveal">,
): Promise<Callers> {
  const users = sampleUsers(settings, secrets);
  const basic = new Map(
    settings.services.flatMap((service) => {
      const credentials = protectionOf(service.type).credentials?.(service);
      const password = credentials && secrets.reveal(credentials.password);
      return password === undefined ? [] : [[service.name, { username: credentials?.username ?? "", password }]];
    }),
  );
  const chosen = settings.verification?.account;
  const account = settings.identityProvider.serviceAccounts.find(({ name }) => chosen === undefined || name === chosen);
  const common = { users, basic };
  if (users.length > 0) return { ...common, machine: undefined, noCaller: NO_ACCOUNT };
  if (account === undefined) return { ...common, machine: undefined, noCaller: NO_ACCOUNT };
  if (cluster instanceof Error) {
    const [reason = ""] = cluster.message.split("; ");
    const noCaller = { reason, hint: "set KUBECONFIG to a file that has the context" };
    return { ...common, machine: undefined, noCaller };
  }
  try {
    const read = { name: `${account.name}-account`, namespace: account.namespace };
    const { data = {} } = await cluster.makeApiClient(CoreV1Api).readNamespacedSecret(read);
    const decode = ([key, value]: [string, string]) => [key, Buffer.from(value, "base64").toString()] as const;
    const machine = {
      account: readMachineAccount(Object.fromEntries(Object.entries(data).map(decode))),
      groups: account.groups,
    };
    return { ...common, machine, noCaller: NO_ACCOUNT };
  } catch (error) {
    const where = `Secret ${account.name}-account in namespace ${account.namespace}`;
    const reason = `${where} cannot be read: ${wordsOf(error)}`;
    return { ...common, machine: undefined, noCaller: { reason, hint: "deploy, with access to the cluster" } };
  }
}

const NO_ACCOUNT = {
  reason: "no account that can sign in",
  hint: "add a service account to identity_provider.service_accounts, and deploy",
};

/** The API server's answer has its whole request in its message. */
function wordsOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (code === 404) return "it does not exist";
  return typeof code === "number" ? `status ${code}` : reasonOf(error);
}
