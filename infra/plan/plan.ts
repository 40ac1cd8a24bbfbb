import type { Settings } from "../../config/settings.ts";
import { connections } from "./connections.ts";
import { protectionOf } from "../../protections/table.ts";
import { exposures } from "./exposures.ts";
import { dataPlan } from "./grants.ts";
import { groupPolicies } from "./groupPolicies.ts";
import { identitySlug } from "./objectNames.ts";
import { outposts } from "./outposts.ts";
import { records } from "./records.ts";
import { clients } from "./clients.ts";
import { routing } from "./routes.ts";
import type { Exposure, Login, Member, Plan } from "./types.ts";

/** Returns the plan of a stack. Pure. */
export function computePlan(settings: Settings): Plan {
  const all = exposures(settings);
  const allGroups = groups(settings);
  const allClients = clients(settings, all);
  return {
    stack: settings.stack,
    identitySlug: identitySlug(settings),
    identityProviderUrl: identityProviderUrl(settings, all),
    exposures: all,
    clients: allClients,
    outposts: outposts(settings, all),
    installsIdentityProvider: settings.identityProvider.install,
    ...routing(settings, all),
    records: records(settings.stack, settings.domains, all),
    groups: allGroups,
    createdGroups: settings.identityProvider.install ? allGroups : ownGroups(settings.identityProvider),
    groupPolicies: groupPolicies(settings, all, allClients),
    members: members(settings),
    logins: logins(settings, all),
    data: settings.dataApi && settings.postgres && dataPlan(settings.dataApi, settings.postgres),
    connections: connections(settings),
    warnings: settings.warnings,
  };
}

/** Returns the groups of `identity_provider.groups`, and those that services and users name. */
function groups({ services, identityProvider }: Settings): string[] {
  const { sampleUsers, serviceAccounts } = identityProvider;
  const named = [...services, ...sampleUsers, ...serviceAccounts].flatMap((one) => one.groups);
  return [...new Set([...identityProvider.groups, ...named])].sort();
}

/** Returns the groups that the stack creates in an existing identity provider. Those of services are expected to exist: a misspelled one is an error. */
function ownGroups({ groups: listed, sampleUsers }: Settings["identityProvider"]): string[] {
  return [...new Set([...listed, ...sampleUsers.flatMap((user) => user.groups)])].sort();
}

function members({ identityProvider: { sampleUsers, serviceAccounts } }: Settings): Member[] {
  return [
    ...sampleUsers.map(({ username, groups }) => ({ name: username, kind: "sample user" as const, groups })),
    ...serviceAccounts.map(({ name, groups }) => ({ name, kind: "service account" as const, groups })),
  ];
}

function logins({ services }: Settings, all: readonly Exposure[]): Login[] {
  const exposed = new Set(all.map(({ entry }) => entry));
  return services.flatMap((service) => {
    const credentials = protectionOf(service.type).credentials?.(service);
    if (!credentials || !exposed.has(service.name)) return [];
    return { service: service.name, username: credentials.username, password: credentials.password.template };
  });
}

/** Returns the URL of the identity provider; undefined when it is on no enabled domain. */
function identityProviderUrl({ identityProvider }: Settings, all: readonly Exposure[]): string | undefined {
  const { url, domain: chosen } = identityProvider;
  const own = all.find(({ role, domain }) => role === "identity-provider" && (chosen ?? domain) === domain);
  return url ?? own?.url;
}
