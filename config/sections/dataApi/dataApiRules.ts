/** Rules of the section `data_api` that concern more than one field. */
import { identifier } from "../../schema/fields.ts";
import { authenticatorConnections, MAX_AUTHENTICATOR_CONNECTIONS } from "../postgres/maxConnections.ts";
import { INITIAL_DATABASES, type PostgresDraft } from "../postgres/postgres.ts";
import { within } from "../../errors/location.ts";
import { type Problem, problem, repeated } from "../../errors/problems.ts";
import type { DataApiDraft } from "./dataApi.ts";
import type { IdentityProviderDraft } from "../identityProvider/identityProvider.ts";

interface Drafts {
  readonly dataApi: DataApiDraft | undefined;
  readonly identityProvider: IdentityProviderDraft | undefined;
  readonly postgres: PostgresDraft | undefined;
  readonly hasPostgres: boolean;
  /** Role with which the stack deploys to the server. */
  readonly administrator: string | undefined;
}

/** Checks that there is a database server, and that databases, roles and schemas differ. */
export function dataApiRules({ dataApi, identityProvider, postgres, hasPostgres, administrator }: Drafts): Problem[] {
  if (dataApi === undefined) return [];
  const installsServer = postgres?.fields.install !== undefined;
  return [
    ...(hasPostgres ? [] : [problem(dataApi.location, "requires gatehouse:postgres", "add it")]),
    ...sharedWithIdentityProvider(dataApi, identityProvider),
    ...nameRules(dataApi),
    ...repeatedSchemas(dataApi),
    ...deprecationRules(dataApi),
    ...replicaRules(dataApi),
    ...connectionRules(dataApi, installsServer),
    ...writerRules(dataApi),
    ...roleRules(dataApi, administrator),
  ];
}

/** Returns the name of the database, and whether it exists before the stack. */
function databaseOf({ fields }: DataApiDraft) {
  return typeof fields.database === "object" ? fields.database : { name: fields.database, existing: false };
}

/** Returns all schemas, in the order of messages. */
function schemasOf({ fields }: DataApiDraft): string[] {
  const { exposed = [], private: closed = [], hidden = [] } = fields.schemas ?? {};
  return [...exposed, ...closed, ...hidden];
}

function rolesOf({ fields }: DataApiDraft): string[] {
  return Object.values(fields.roles ?? {});
}

/** Refuses the database and the role of an installed identity provider. */
function sharedWithIdentityProvider(draft: DataApiDraft, identityProvider: Drafts["identityProvider"]): Problem[] {
  const other = identityProvider?.fields.install === true ? identityProvider.fields.database : undefined;
  if (other === undefined) return [];
  const found: Problem[] = [];
  if (databaseOf(draft).name === other.name) {
    const message = `database "${other.name}" is already used by the identity provider`;
    found.push(problem(within(draft.location, "database"), message, "give it another name"));
  }
  if (rolesOf(draft).includes(other.user)) {
    const message = `role "${other.user}" is already used by the identity provider`;
    found.push(problem(within(draft.location, "roles"), message, "give each role its own name"));
  }
  if (draft.fields.writers?.includes(other.user)) {
    const message = `role "${other.user}" is that of the identity provider's database`;
    found.push(problem(within(draft.location, "writers"), message, "name the role of a pipeline"));
  }
  return found;
}

/** Refuses names that only an existing database, or a schema of one, can have. */
function nameRules(draft: DataApiDraft): Problem[] {
  const { location } = draft;
  const { name, existing } = databaseOf(draft);
  if (existing === true) return [];
  const found: Problem[] = [];
  if (name !== undefined && INITIAL_DATABASES.includes(name)) {
    const hint = `give it another name, or set database: { name: ${name}, existing: true }`;
    found.push(problem(within(location, "database"), `database "${name}" exists on every server`, hint));
  }
  if (name !== undefined && !identifier().safeParse(name).success) {
    const message = `database "${name}" needs quotes in SQL, which only an existing one may`;
    found.push(problem(within(location, "database"), message, "use at most 63 of a-z, 0-9 and _"));
  }
  for (const schema of schemasOf(draft).filter((one) => !identifier().safeParse(one).success)) {
    const hint = "remove it, or, if the database exists before the stack, set database: { name: …, existing: true }";
    found.push(problem(within(location, "schemas"), `schema "${schema}" requires an existing database`, hint));
  }
  return found;
}

function repeatedSchemas(draft: DataApiDraft): Problem[] {
  const { schemas } = draft.fields;
  return Array.from(repeated(schemasOf(draft)), (schema) => {
    const both = schemas?.exposed.includes(schema) === true && schemas.private.includes(schema);
    const message = both ? `schema "${schema}" is both exposed and private` : `schema "${schema}" is listed twice`;
    const hint = both ? "remove it from one of the two lists" : "list it once";
    return problem(within(draft.location, "schemas"), message, hint);
  });
}

/** Checks that deprecated schemas are exposed, and end after they are deprecated. */
function deprecationRules({ location, fields }: DataApiDraft): Problem[] {
  const exposed = fields.schemas?.exposed ?? [];
  return Object.entries(fields.schemas?.deprecated ?? {}).flatMap(([schema, { since, sunset }]) => {
    const where = within(location, "schemas", "deprecated", schema);
    const found: Problem[] = [];
    if (!exposed.includes(schema))
      found.push(problem(where, "is not an exposed schema", "use the name of an exposed schema, or remove it"));
    if (sunset <= since) found.push(problem(within(where, "sunset"), "is not after since", "set a later day"));
    return found;
  });
}

function replicaRules({ location, fields }: DataApiDraft): Problem[] {
  if ((fields.max_replicas ?? 0) >= (fields.replicas ?? 0)) return [];
  const message = `${fields.max_replicas} is fewer than replicas`;
  return [problem(within(location, "max_replicas"), message, "set it to replicas or more")];
}

/** Checks that clients of the data API cannot take all connections of an installed server: users could not sign in then. */
function connectionRules({ location, fields }: DataApiDraft, installsServer: boolean): Problem[] {
  const { max_replicas: maxReplicas, limits } = fields;
  if (!installsServer || maxReplicas === undefined || limits?.connections === undefined) return [];
  const needed = authenticatorConnections({ maxReplicas, connections: limits.connections });
  if (needed <= MAX_AUTHENTICATOR_CONNECTIONS) return [];
  const message =
    `(max_replicas + 1) × (limits.connections + 2) is ${needed}, and an installed server has ${MAX_AUTHENTICATOR_CONNECTIONS} for the data API, since ` +
    "authentik needs the others";
  return [
    problem(
      within(location, "max_replicas"),
      message,
      "lower max_replicas or limits.connections, or use an existing server",
    ),
  ];
}

/** Checks that each writer is listed once, and is not a role of the stack. */
function writerRules(draft: DataApiDraft): Problem[] {
  const { location } = draft;
  const writers = draft.fields.writers ?? [];
  const own = rolesOf(draft);
  const found: Problem[] = [];
  for (const [index, writer] of writers.entries()) {
    const hint = "name roles that exist; the owner creates relations without being listed";
    if (own.includes(writer))
      found.push(problem(within(location, "writers", index), `role "${writer}" is created by Gatehouse`, hint));
  }
  for (const writer of repeated(writers)) {
    found.push(problem(within(location, "writers"), `role "${writer}" is listed twice`, "list it once"));
  }
  return found;
}

/** Checks that the roles differ from each other and from the administrator. */
function roleRules(draft: DataApiDraft, administrator: string | undefined): Problem[] {
  const where = within(draft.location, "roles");
  const own = rolesOf(draft);
  const found: Problem[] = [];
  if (administrator !== undefined && own.includes(administrator)) {
    const message = `role "${administrator}" is postgres.user, the administrator`;
    found.push(problem(where, message, "give each role its own name"));
  }
  for (const role of repeated(own)) {
    found.push(problem(where, `role "${role}" is used twice`, "give each role its own name"));
  }
  return found;
}
