/** Access facts of a plan, which the access diff compares. Pure. */
import { backendText } from "../../config/sections/protectedServices/backend.ts";
import type { DataPlan, OAuthClient, Plan, RecordSet } from "../plan/types.ts";
import type {
  AccessFacts,
  ClientFacts,
  DefaultFacts,
  DomainFacts,
  GrantFacts,
  HostFacts,
  RoleFunction,
  SchemaFacts,
  SettingFacts,
} from "./facts.ts";
import { allowedUsersOf } from "../../protections/allowedUsers.ts";
import { SETTING_NAMES } from "../plan/settingNames.ts";
import { headersOf, rulesByExposure, tlsText } from "./rules.ts";

/** Returns the access facts of a plan. @param plan also one that was parsed from JSON; undefined = no such stack, so no facts */
export function accessOf(plan: Plan | undefined): AccessFacts {
  if (plan === undefined) return EMPTY;
  const roles = plan.data ? roleFunctions(plan.data) : new Map<string, RoleFunction>();
  return {
    host: hosts(plan),
    client: new Map(plan.clients.map((client) => [client.service, clientFacts(client)])),
    member: new Map(plan.members.map(({ name, kind, groups }) => [name, { kind, groups: sorted(groups) }])),
    login: new Map(plan.logins.map(({ service, ...facts }) => [service, facts])),
    group: new Map(plan.groups.map((group) => [group, { created: plan.createdGroups.includes(group) }])),
    domain: new Map(plan.records.map((set) => [set.domain, domainFacts(set)])),
    schema: plan.data ? schemas(plan, plan.data, roles) : new Map(),
    grant: new Map(plan.data?.grants.map((grant) => named(grantFacts(grant, roles)))),
    default: new Map(plan.data?.defaultPrivileges.map((entry) => named(defaultFacts(entry, roles)))),
    role: new Map(Object.entries<string>({ ...plan.data?.roles }).map(([of, name]) => [`${of} role`, { name }])),
    limit: new Map(Object.entries(plan.data?.limits ?? {}).map(([of, value]) => [of, { value }])),
    setting: settings(plan),
  };
}

const NONE = new Map<string, never>();
const EMPTY: AccessFacts = {
  host: NONE,
  client: NONE,
  member: NONE,
  login: NONE,
  group: NONE,
  domain: NONE,
  schema: NONE,
  grant: NONE,
  default: NONE,
  role: NONE,
  limit: NONE,
  setting: NONE,
};

function hosts(plan: Plan): Map<string, HostFacts> {
  const rules = rulesByExposure(plan);
  return new Map(
    plan.exposures.map((exposure) => {
      const { host, url, role, domain, service, entry, session, application, outpost, backend } = exposure;
      const own = rules.get(exposure.id) ?? [];
      const allowedUsers = allowedUsersOf(exposure);
      return [
        host,
        {
          url,
          domain,
          service,
          entry,
          outpost,
          // Where the application authenticates, the gateway has no session.
          session: exposure.authentication === "none" ? undefined : session,
          // Only an identity provider that the stack deploys is known to be one.
          role: role === "identity-provider" && !plan.installsIdentityProvider ? "service" : role,
          protection: { type: exposure.protection, authentication: exposure.authentication },
          allowedUsers: { ...allowedUsers, groups: sorted(allowedUsers.groups) },
          publicPaths: sorted(exposure.publicPaths),
          headers: headersOf(exposure, own),
          backend: backendText(backend),
          tls: tlsText(exposure.tls),
          application: application && `${application.slug} (${application.name})`,
          rules: own,
        },
      ];
    }),
  );
}

/** Returns the items sorted and without repetitions, which have no meaning. */
function sorted(items: readonly string[]): readonly string[] {
  return [...new Set(items)].sort();
}

function clientFacts(client: OAuthClient): ClientFacts {
  const { application, credentials, groups, redirectUris, launchUrl, namespace, secretName, tokens } = client;
  return {
    name: application.name,
    slug: application.slug,
    launchUrl,
    secret: `${namespace}/${secretName}`,
    ...credentials,
    groups: sorted(groups),
    redirectUris: sorted(redirectUris),
    ...tokens,
    scopes: sorted(tokens.scopes),
    refreshTokenValidity: tokens.scopes.includes("offline_access") ? tokens.refreshTokenValidity : undefined,
  };
}

function domainFacts({ hosts, targets, owner }: RecordSet): DomainFacts {
  return { hosts, targets: sorted(targets), owner };
}

/** Returns the function of each role, so that renaming one does not read as a new one that gets all its grants. */
function roleFunctions({ roles }: DataPlan): Map<string, RoleFunction> {
  const { anonymous, authenticator, owner, administrator } = roles;
  return new Map<string, RoleFunction>([
    [administrator, "administrator role"],
    [owner, "owner role"],
    [authenticator, "authenticator role"],
    [anonymous, "anonymous role"],
    ["public", "every role"],
  ]);
}

function schemas(plan: Plan, data: DataPlan, roles: ReadonlyMap<string, RoleFunction>): Map<string, SchemaFacts> {
  const deprecations = new Map(
    plan.middlewares.flatMap((each) =>
      each.kind === "profile" && each.deprecation ? [[each.schema, each.deprecation]] : [],
    ),
  );
  return new Map(
    data.schemas.map(({ name, owner, access }) => {
      const end = deprecations.get(name);
      const sunset =
        end && `since ${end.since}, until ${end.sunset}${end.link === undefined ? "" : `, see ${end.link}`}`;
      return [name, { access, owner: roles.get(owner) ?? owner, deprecation: sunset }];
    }),
  );
}

function grantFacts({ role, schema, kind, privileges }: DataPlan["grants"][number], roles: Roles): GrantFacts {
  return { role: roles.get(role) ?? role, schema, kind, privileges: privileges.toSorted() };
}

function defaultFacts(entry: DataPlan["defaultPrivileges"][number], roles: Roles): DefaultFacts {
  return { ...grantFacts(entry, roles), kind: entry.kind, owner: roles.get(entry.owner) ?? entry.owner };
}

type Roles = ReadonlyMap<string, RoleFunction>;

/** Returns the facts under a name that identifies the cell of the matrix. */
function named<T extends { readonly privileges: unknown }>(facts: T): [string, T] {
  return [JSON.stringify({ ...facts, privileges: undefined }), facts];
}

function settings(plan: Plan): Map<string, SettingFacts> {
  const all: [string, string | undefined][] = [
    [SETTING_NAMES.signInPage, plan.identityProviderUrl],
    [SETTING_NAMES.jwtSigner, plan.identitySlug],
    [SETTING_NAMES.identityProvider, plan.installsIdentityProvider ? "deployed by the stack" : "existing"],
    [
      SETTING_NAMES.database,
      plan.data && (plan.data.existing ? `${plan.data.database} (existing)` : plan.data.database),
    ],
    ...Object.entries(plan.connections),
    [SETTING_NAMES.superuserProtections, plan.data?.superuser === false ? "where the server allows them" : undefined],
  ];
  return new Map(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, { value }]])));
}
