/** The accounts that can sign in to a deployment from this machine. */
import { CoreV1Api, type KubeConfig } from "@kubernetes/client-node";
import { readable } from "../../../infra/prerequisites/readable.ts";
import { protectionOf } from "../../../protections/table.ts";
import type { StackContext } from "../../context/context.ts";
import { readMachineAccount } from "../../clients/machineAccount.ts";
import { errorText } from "../../../config/errors/errorText.ts";
import { type Secrets, sampleUsers } from "../secrets.ts";
import type { Unreachable } from "./databaseOf.ts";
import type { Accounts } from "./signInProbes.ts";

const NO_ACCOUNT = {
  reason: "no account that can sign in",
  hint: "add a service account to identity_provider.service_accounts, and deploy",
};

/**
 * Returns the sample users if there are some (localhost alone), else a machine: the account of `gatehouse:verification`, or else the first of the
 * list, whose Secret is in the cluster.
 */
export async function accountsOf(
  { settings }: StackContext,
  cluster: KubeConfig | Unreachable,
  secrets: Pick<Secrets, "reveal">,
): Promise<Accounts> {
  const users = sampleUsers(settings, secrets);
  const basic = settings.services.flatMap((service) => {
    const credentials = protectionOf(service.type).credentials?.(service);
    const password = credentials && secrets.reveal(credentials.password);
    return password === undefined ? [] : [[service.name, { username: credentials?.username ?? "", password }] as const];
  });
  const accounts = { users, basic: new Map(basic), machine: undefined, noAccount: NO_ACCOUNT };
  const chosen = settings.verification?.account;
  const found = settings.identityProvider.serviceAccounts.find(({ name }) => chosen === undefined || name === chosen);
  if (users.length > 0 || found === undefined) return accounts;
  if ("reason" in cluster) return { ...accounts, noAccount: cluster };
  const { name, namespace, groups } = found;
  try {
    const secret = { name: `${name}-account`, namespace };
    const read = await readable(cluster.makeApiClient(CoreV1Api).readNamespacedSecret(secret), [404]);
    if (read === undefined) throw new Error("it does not exist");
    const { data = {} } = read;
    const decode = ([key, value]: [string, string]) => [key, Buffer.from(value, "base64").toString()] as const;
    const account = readMachineAccount(Object.fromEntries(Object.entries(data).map(decode)));
    return { ...accounts, machine: { account, groups } };
  } catch (error) {
    const reason = `Secret ${name}-account in namespace ${namespace} cannot be read: ${errorText(error)}`;
    return { ...accounts, noAccount: { reason, hint: "deploy, with access to the cluster" } };
  }
}
