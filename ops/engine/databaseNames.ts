/** Names that cannot change between two deployments. Pure. */
import type { Settings } from "../../config/settings.ts";
import type { Plan } from "../../infra/plan/types.ts";
import type { StackState } from "./state/stackState.ts";
import { nameOf, type Step } from "./step.ts";

type Named = readonly [path: string, name: string | undefined];

/** Returns the names of the roles and databases in Postgres, by the name of the resource. */
export function databaseNames({ dataApi, identityProvider: { database } }: DatabaseSettings): Map<string, Named> {
  return new Map<string, Named>([
    ["data-database-anonymous", ["data_api.roles.anonymous", dataApi?.roles.anonymous]],
    ["data-database-authenticator", ["data_api.roles.authenticator", dataApi?.roles.authenticator]],
    ["data-database-owner", ["data_api.roles.owner", dataApi?.roles.owner]],
    ["data-database-database", ["data_api.database", dataApi?.existing ? undefined : dataApi?.database]],
    ["authentik-db-role", ["identity_provider.database.user", database?.user]],
    ["authentik-db-database", ["identity_provider.database.name", database?.name]],
  ]);
}

/** Returns the same names without their paths, as the state of a stack with these settings contains them. */
export function deployedNames(settings: DatabaseSettings): Map<string, string> {
  return new Map(
    [...databaseNames(settings)].flatMap(([resource, [, name]]) => (name === undefined ? [] : [[resource, name]])),
  );
}

type DatabaseSettings = Pick<Settings, "dataApi" | "identityProvider">;

/**
 * Returns the changed names at which a deployment would stop after its first changes:
 * - A program that is connected keeps the old name of its role and database until the deployment replaces its pods, and answers errors until then; the
 *   provider of Postgres deletes grants of the old name last, which fails.
 * - An oauth2 service with another slug is another provider in authentik, which is created first, with a client id that is taken.
 */
export function changedNames(
  { settings, plan }: { readonly settings: DatabaseSettings & Pick<Settings, "services">; readonly plan: Plan },
  { databaseNames: deployed, access }: Pick<StackState, "databaseNames" | "access">,
): string[] {
  const databases = [...databaseNames(settings)].flatMap(([resource, [path, name]]) => {
    const old = deployed.get(resource);
    if (name === undefined || old === undefined || name === old) return [];
    return [`${path}: is "${name}", and the stack is deployed with "${old}". Keep "${old}" (docs/deploy.md, Names).`];
  });
  const clients = [...(access?.client ?? [])];
  const slugs = plan.clients.flatMap(({ service, application: { slug }, credentials: { clientId } }) => {
    const [old, client] =
      clients.find(([name]) => name === service) ?? clients.find(([, one]) => one.clientId === clientId) ?? [];
    if (client === undefined || client.slug === slug) return [];
    const path = `protected_services[${settings.services.findIndex(({ name }) => name === service)}].application_slug`;
    const hint = `Keep "${client.slug}"; or remove the entry, deploy, and add it again.`;
    return [`${path}: is "${slug}", and the client of "${old}" is deployed with "${client.slug}". ${hint}`];
  });
  return [...databases, ...slugs];
}

/** What contains the data of a server that the stack installs: the claim of a statefulset, and the `Cluster` of CloudNativePG. */
const SERVERS = ["PersistentVolumeClaim postgres-data", "Cluster postgres-server"];

/** Returns what steps delete or replace with its data: deployed databases, and an installed server with all of them. */
export function droppedDatabases(
  steps: readonly Step[],
  deployed: Pick<StackState, "databaseNames"> | undefined,
): string[] {
  const dropped = steps.filter(({ operation }) => operation === "delete" || operation === "replace");
  const databases = dropped
    .filter(({ type }) => type === "Database")
    .map(({ name }) => `the database "${deployed?.databaseNames.get(name) ?? name}"`);
  const isServer = dropped.some((step) => SERVERS.includes(nameOf(step)));
  return isServer ? [...databases, "every database of the Postgres server that the stack installs,"] : databases;
}
