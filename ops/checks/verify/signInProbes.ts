/** Which account signs in to which exposure, and the expected result. */
import type { ServiceAccount } from "../../../config/settings.ts";
import type { Exposure } from "../../../infra/plan/types.ts";
import { type ExpectedExposure, isEcho, type OutsideTarget } from "../../../infra/verification/target.ts";
import { isAllowed } from "../../../protections/allowedUsers.ts";
import type { Expectation } from "../../../protections/expectation.ts";
import {
  checkBasic,
  checkMachine,
  checkSignIn,
  checkWrongGroup,
  checkWrongMachine,
  type Identity,
} from "./signInChecks.ts";
import { type Check, skip } from "../check.ts";
import { type MachineAccount, requestToken, tokenFor } from "../../clients/machineAccount.ts";
import type { Probe } from "./probe.ts";
import type { Credentials } from "../../clients/signIn.ts";

/** The accounts that can sign in during a verification. */
export interface Accounts {
  /** Sample users with their passwords; only where localhost is the one domain. */
  readonly users: readonly (Credentials & Identity)[];
  /** A machine, where there are no users. */
  readonly machine: { readonly account: MachineAccount; readonly groups: ServiceAccount["groups"] } | undefined;
  /** Reason and hint of skipped sign-ins without an account. */
  readonly noAccount: { readonly reason: string; readonly hint: string };
  /** Of `basic` services, by entry. */
  readonly basic: ReadonlyMap<string, Credentials>;
}

/** Returns the sign-in to one exposure; none where there is nothing to sign in to. */
export function signInProbe(target: OutsideTarget, exposure: ExpectedExposure, accounts: Accounts): Probe[] {
  const method = exposure.expectation.signIn;
  if (method === undefined) return [];
  const signIn = SIGN_IN[method];
  return [{ kind: "sign-in", subject: exposure.url, run: () => signIn(target, exposure, accounts) }];
}

/** Reports that a machine has access to every exposure with groups: then an application that admits every user is not detected. */
export function refusalProbes({ exposures }: OutsideTarget, { users, machine }: Accounts): Probe[] {
  const limited = exposures.filter(({ expectation, groups }) => expectation.signIn === "session" && groups.length > 0);
  if (users.length > 0 || machine === undefined || limited.length === 0) return [];
  if (!limited.every((exposure) => isAllowed(exposure, machine.groups))) return [];
  const { username } = machine.account;
  const hint = `leave service account ${username} out of the groups of some services, and deploy`;
  const check = skip(
    "users outside of the allowed groups are denied",
    `${username} is in a group of every service`,
    hint,
  );
  return [{ kind: "sign-in", subject: "allowed groups", run: () => Promise.resolve([check]) }];
}

type SignIn = (target: OutsideTarget, exposure: Exposure, accounts: Accounts) => Promise<Check[]>;

const SIGN_IN: Readonly<Record<NonNullable<Expectation["signIn"]>, SignIn>> = {
  session: byGateway,
  password: byPassword,
  application: byApplication,
};

async function byGateway(target: OutsideTarget, exposure: Exposure, accounts: Accounts): Promise<Check[]> {
  const keys = `${target.identityProviderUrl ?? ""}/application/o/${target.identitySlug}/jwks/`;
  const jwks = isEcho(target, exposure) ? keys : undefined;
  const { users, machine } = accounts;
  if (users.length === 0) return [machine ? await asMachine(exposure, machine, jwks) : notChecked(exposure, accounts)];
  const checks: Check[] = [];
  for (const user of users) {
    const check = isAllowed(exposure, user.groups)
      ? checkSignIn(exposure, user, jwks)
      : checkWrongGroup(exposure, user, target.identityProviderUrl);
    checks.push(await check);
  }
  return checks;
}

function asMachine(
  exposure: Exposure,
  { account, groups }: NonNullable<Accounts["machine"]>,
  jwks: string | undefined,
): Promise<Check> | Check {
  const { url } = exposure;
  const { username } = account;
  if (!isAllowed(exposure, groups)) {
    if (account.clientIds.size > 0) {
      return checkWrongMachine(exposure, username, (clientId) => requestToken(account, clientId));
    }
    const reason = `${username} has access to no service, and authentik refuses a wrong password in the same way`;
    const hint = `add the groups of one service to service account ${username}, and deploy`;
    return skip(`${username} is denied at ${url}`, reason, hint);
  }
  const clientId = account.clientIds.get(url);
  if (clientId === undefined) {
    const name = `${username} calls ${url} as a machine`;
    return { name, ok: false, detail: `the Secret ${username}-account has no client id for it`, hint: "deploy again" };
  }
  const user = { username, name: username, email: "", groups };
  return checkMachine(exposure, user, () => tokenFor(account, clientId), jwks);
}

async function byPassword(target: OutsideTarget, exposure: Exposure, { basic }: Accounts): Promise<Check[]> {
  const entry = exposure.entry ?? "";
  const credentials = basic.get(entry);
  if (credentials) return [await checkBasic(exposure, credentials, isEcho(target, exposure))];
  const reason = `the password of "${entry}" is not known here`;
  return [skip(`sign-in to ${exposure.url}`, reason, "run npx gatehouse verify where the stack's secrets can be read")];
}

/** Returns checks of the application's login, which a machine cannot use. */
async function byApplication(_: OutsideTarget, exposure: Exposure, accounts: Accounts): Promise<Check[]> {
  const user = accounts.users.find(({ groups }) => isAllowed(exposure, groups));
  if (user) return [await checkSignIn(exposure, user)];
  if (accounts.users.length === 0 && !accounts.machine) return [notChecked(exposure, accounts)];
  const reason = "the application has its own login page, and there is no sample user in its groups";
  return [skip(`sign-in to ${exposure.url}`, reason, "sign in once in a browser")];
}

function notChecked({ url }: Exposure, { noAccount }: Accounts): Check {
  return skip(`sign-in to ${url}`, noAccount.reason, noAccount.hint);
}
