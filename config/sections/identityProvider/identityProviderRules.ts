/** Rules of the section `identity_provider` that concern more than one field. */
import { isLeftOut, isWritten } from "../../schema/draft.ts";
import { INITIAL_DATABASES } from "../postgres/postgres.ts";
import { within } from "../../errors/location.ts";
import { type Problem, problem, repeated } from "../../errors/problems.ts";
import type { Domain } from "../domains/domains.ts";
import type { IdentityProviderDraft } from "./identityProvider.ts";

interface Drafts {
  readonly identityProvider: IdentityProviderDraft | undefined;
  /** Every domain kind. */
  readonly settings: readonly Domain[];
  readonly hasPostgres: boolean;
  /** Role with which the stack deploys to the server. */
  readonly administrator: string | undefined;
}

/** Fields without effect on an existing identity provider. */
const INSTALLED = ["domain", "admin_email", "admin_password", "secret_key", "database"];
/** Users that authentik creates by itself: the administrator, and one for requests without a session. */
const OWN_USERS: ReadonlySet<string> = new Set(["akadmin", "anonymoususer"]);
/**
 * Groups that authentik creates by itself. The members of the first are superusers; those of the second read every object over the API, the secrets
 * of all OAuth2 clients included (measured on 2026.5).
 */
const PRIVILEGED: Readonly<Record<string, { readonly what: string; readonly instead: string }>> = {
  "authentik Admins": { what: "authentik's own administrators' group", instead: "a group without superusers" },
  "authentik Read-only": {
    what: "authentik's own group whose members read every object, with the secrets of all clients",
    instead: "another group",
  },
};

/** Names in Postgres that are values in JSON: authentik decodes each of its environment variables (`update_from_env` in authentik/lib/config.py). */
const JSON_WORDS: ReadonlySet<string> = new Set(["true", "false", "null"]);

/** Checks what `install` requires, the domain of the sign-in, and the users. */
export function identityProviderRules({ settings, identityProvider, hasPostgres, administrator }: Drafts): Problem[] {
  if (identityProvider === undefined) return [];
  return [
    ...requiredFields(identityProvider, hasPostgres),
    ...fieldsWithoutEffect(identityProvider),
    ...fieldsOfExistingProvider(identityProvider),
    ...databaseRules(identityProvider, administrator),
    ...signInRules(identityProvider, settings),
    ...userRules(identityProvider),
    ...privilegedGroupRules(identityProvider),
    ...sampleUserRules(identityProvider, settings),
  ];
}

/** Checks that the fields that the value of `install` requires are written. */
function requiredFields(draft: IdentityProviderDraft, hasPostgres: boolean): Problem[] {
  const { location, fields } = draft;
  if (fields.install === true) {
    const missing = (["admin_password", "secret_key", "database"] as const).filter((key) => isLeftOut(draft, key));
    return [
      ...missing.map((key) =>
        problem(within(location, key), "missing, but install: true requires it", "add it, or set install: false"),
      ),
      ...(hasPostgres
        ? []
        : [problem(within(location, "install"), "requires gatehouse:postgres", "add it, or set install: false")]),
    ];
  }
  if (fields.install !== false || !isLeftOut(draft, "url")) return [];
  const hint = "add the address of the identity provider to use";
  return [problem(within(location, "url"), "missing, but install: false requires it", hint)];
}

/** Refuses fields that have no effect on an existing identity provider. */
function fieldsWithoutEffect(draft: IdentityProviderDraft): Problem[] {
  if (draft.fields.install !== false) return [];
  const refused = (keys: readonly string[], condition: string, hint: string): Problem[] =>
    keys
      .filter((key) => isWritten(draft, key))
      .map((key) => problem(within(draft.location, key), `has no effect ${condition}`, hint));
  return [
    ...refused(INSTALLED, "with install: false", "remove it, or set install: true"),
    ...(isLeftOut(draft, "service")
      ? refused(["host"], "with install: false and without service", "remove it, or add service")
      : []),
  ];
}

/** Refuses fields of an existing identity provider with `install: true`. */
function fieldsOfExistingProvider(draft: IdentityProviderDraft): Problem[] {
  const { location, fields } = draft;
  if (fields.install !== true) return [];
  const found: Problem[] = [];
  if (!isLeftOut(draft, "service")) {
    const hint = "remove it, or set install: false";
    found.push(problem(within(location, "service"), "names an existing Service, but install is true", hint));
  }
  if (!isLeftOut(draft, "url")) {
    const hint = "remove it (host and domain give the address), or set install: false";
    found.push(problem(within(location, "url"), "names an existing identity provider, but install is true", hint));
  }
  return found;
}

/** Checks that the database and the role of an installed identity provider are its own. */
function databaseRules({ location, fields }: IdentityProviderDraft, administrator: string | undefined): Problem[] {
  const database = fields.install === true ? fields.database : undefined;
  if (database === undefined) return [];
  const found: Problem[] = [];
  if (database.user === administrator) {
    const message = `role "${database.user}" is postgres.user, the administrator`;
    found.push(problem(within(location, "database", "user"), message, "give authentik a separate role"));
  }
  if (INITIAL_DATABASES.includes(database.name)) {
    const message = `database "${database.name}" exists on every server`;
    found.push(problem(within(location, "database", "name"), message, "give authentik a separate database"));
  }
  for (const key of ["name", "user"] as const) {
    const message = `authentik reads "${database[key]}" in its environment as JSON`;
    if (JSON_WORDS.has(database[key]))
      found.push(problem(within(location, "database", key), message, "use another name"));
  }
  return found;
}

/** Checks the certificate of the sign-in domain, and that it, or any other domain, is enabled. */
function signInRules(draft: IdentityProviderDraft, settings: readonly Domain[]): Problem[] {
  const { location, fields } = draft;
  const found: Problem[] = [];
  const signIn = settings.find(({ kind, enabled }) => enabled && kind === (fields.domain ?? kind));
  if (fields.install === true && signIn?.tls?.termination === "default" && isLeftOut(draft, "api_url")) {
    const message = `missing, but domain "${signIn.kind}" uses Traefik's default certificate, which the Terraform provider does not trust`;
    const hint = `set tls of domain "${signIn.kind}" to a resolver or upstream, or set api_url to an address of the API without that certificate`;
    found.push(problem(within(location, "api_url"), message, hint));
  }
  if (fields.install === true && !settings.some(({ enabled }) => enabled)) {
    found.push(
      problem(within(location, "install"), "authentik would have no address", "enable a domain under domains"),
    );
  } else if (fields.domain !== undefined && !settings.some(({ kind, enabled }) => enabled && kind === fields.domain)) {
    const hint = "set an enabled domain, or remove it";
    found.push(problem(within(location, "domain"), `domain "${fields.domain}" is not enabled`, hint));
  }
  return found;
}

/**
 * Checks that each user and service account has its own name and email address: a sign-in finds the first user with either, in any case
 * (`IdentificationStage`).
 */
function userRules({ location, fields }: IdentityProviderDraft): Problem[] {
  const { sample_users = [], service_accounts = [], install, admin_email } = fields;
  const users = [
    ...sample_users.map(({ username, email }) => [username, email]),
    ...service_accounts.map(({ name }) => [name]),
  ];
  const administrator = install === true && admin_email !== undefined ? [[admin_email]] : [];
  const identifiers = [...users, ...administrator].map((names) => names.map((name) => name.toLowerCase()));
  const found = Array.from(repeated(identifiers.flatMap((names) => [...new Set(names)])), (name) =>
    problem(
      location,
      `"${name}" is the name or the email address of two users`,
      "give each user and service account its own",
    ),
  );
  for (const [name = ""] of users) {
    if (!OWN_USERS.has(name.toLowerCase())) continue;
    found.push(
      problem(location, `user "${name}" is authentik's own`, "give each user and service account another name"),
    );
  }
  return found;
}

/** Refuses users and service accounts in groups with privileges in authentik. */
function privilegedGroupRules({ location, fields }: IdentityProviderDraft): Problem[] {
  return (["service_accounts", "sample_users"] as const).flatMap((key) =>
    Object.entries(PRIVILEGED)
      .filter(([group]) => fields[key]?.some(({ groups }) => groups?.includes(group)))
      .map(([group, { what, instead }]) =>
        problem(within(location, key), `group "${group}" is ${what}`, `remove it, and use ${instead}`),
      ),
  );
}

/** Refuses sample users on domains other than localhost. */
function sampleUserRules({ location, fields }: IdentityProviderDraft, settings: readonly Domain[]): Problem[] {
  const others = settings.filter(({ kind, enabled }) => enabled && kind !== "localhost").map(({ kind }) => kind);
  if ((fields.sample_users?.length ?? 0) === 0 || others.length === 0) return [];
  const message = `requires that only localhost is enabled, but domain "${others.join('", "')}" is enabled, too`;
  return [problem(within(location, "sample_users"), message, "remove them, or disable the other domains")];
}
