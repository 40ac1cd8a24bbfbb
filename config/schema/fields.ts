/** Kinds of fields of the sections. A custom message is `<what was expected>; <hint>`. */
import { z } from "zod";
import { isNetworkAddress } from "./networks.ts";
import { seconds } from "./duration.ts";

/** Keys of secrets. */
export const SECRET_KEYS: ReadonlySet<string> = new Set([
  "client_secret",
  "password",
  "token",
  "secret_key",
  "admin_password",
  "authenticator_password",
  "owner_password",
]);
/** Keys whose values are never repeated in a message. A client id is not a secret, but a secret may be written there by mistake. */
export const HIDDEN_KEYS: ReadonlySet<string> = new Set(["client_id", ...SECRET_KEYS]);

/** A DNS label (RFC 1123, 2.1). */
export const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
// The engine reads a day without quotes as a time, and passes that in the format of Go.
const DAY = /^\d{4}-\d{2}-\d{2}( 00:00:00 \+0000 UTC)?$/;
/** Template variables and nothing else: what a secret field contains. */
export const VARIABLES_ONLY = /^(\$\{[A-Za-z_][A-Za-z0-9_]*\})+$/;
// The units of authentik's timedelta_string_validator.
const DURATION = /^((weeks|days|hours|minutes|seconds)=[0-9]+)(;(weeks|days|hours|minutes|seconds)=[0-9]+)*$/;
/** Excludes what the gateway routes to the outpost. */
const NOT_OUTPOST = String.raw`(?!\/outpost\.goauthentik\.io(\/|$))`;
// Unreserved characters and sub-delimiters only: nothing that a proxy in between could decode into another path.
const PUBLIC_PATH = new RegExp(String.raw`^${NOT_OUTPOST}(\/(?!\.\.|\.(\/|$))[A-Za-z0-9._~!$&'()*+,;=:@-]+)+\/?$`);
const REDIRECT_PATH = new RegExp(String.raw`^${NOT_OUTPOST}\/[^\s?#]*$`);

/** Fields that contain template variables, by how they are resolved (`Variables`). */
export const TEMPLATES = z.registry<{
  readonly kind: "secret" | "unresolved" | "plain" | "port" | "address" | "email" | "host" | "rootCertificates";
}>();

/** Text of a form. */
export const text = (pattern: RegExp, expected: string, hint: string) =>
  z.string().regex(pattern, `${expected}; ${hint}`);
/** Any text with something in it. */
export const nonEmptyText = () => text(/\S/, "some text", "write it, or a ${VARIABLE}");
/** A DNS label. */
export const label = () =>
  text(DNS_LABEL, "a DNS label", "use at most 63 of a-z, 0-9 and -, and begin and end with a letter or digit");
/** A name of a Kubernetes object. */
export const subdomain = () =>
  text(
    /^(?=.{1,152}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
    "a Kubernetes name",
    "use a-z, 0-9, - and ., each part with a letter or digit at both ends",
  );
/** A secret: template variables and nothing else, so that none is ever in plain text. */
export const secret = () =>
  text(VARIABLES_ONLY, "a template variable", 'write "${NAME}", and run: pulumi config set --secret variables:NAME')
    .brand<"secret">()
    .register(TEMPLATES, { kind: "secret" });
/** A text whose variables stay unresolved, because they can be secret. */
export const unresolved = (field: z.ZodString) => field.brand<"secret">().register(TEMPLATES, { kind: "unresolved" });
/** A text whose variables are filled in; they must not be secret. */
export const plain = (kind: "plain" | "address" | "email" | "host" | "rootCertificates" = "plain") =>
  (kind === "rootCertificates" ? z.string() : nonEmptyText()).register(TEMPLATES, { kind });
/** Maximum duration, in seconds: authentik answers 500 to one that Python cannot represent. */
const MAX_DURATION = 366 * 86_400;
/** A duration as authentik writes it. */
export const duration = () =>
  text(DURATION, "a duration in authentik's spelling", "write it like hours=10;minutes=5").refine(
    (value) => !(seconds(value) > MAX_DURATION),
    { error: "at most days=366; write it like hours=10" },
  );
/** Shortest session, in seconds. The cookie that authentik's outpost sets before login lasts as long as the session and 1 s more. */
const SHORTEST_SESSION = 300;
/** Length of a session. */
export const sessionLength = () =>
  duration().refine((text) => !(seconds(text) < SHORTEST_SESSION), {
    error:
      "at least minutes=5, because a user who needs longer at the login page than the session lasts gets an error at " +
      "the callback of authentik's outpost; write minutes=5 or more",
  });
/** A slug as authentik accepts it (API, ApplicationRequest). */
export const slug = () => text(/^[A-Za-z0-9_-]{1,100}$/, "a slug", "use at most 100 letters, digits, - and _");
/** A name in Postgres that needs no quotes and means nothing else. */
export const identifier = (...reserved: string[]) =>
  text(
    new RegExp(`^(?!pg_|(${["public", "none", ...reserved].join("|")})$)[a-z_][a-z0-9_]{0,62}$`),
    "an unreserved Postgres name",
    `use at most 63 of a-z, 0-9 and _; Postgres reserves pg_* and public${reserved.length === 0 ? "" : ", Gatehouse reserves catalog, gatehouse and gatehouse_*"}`,
  );
/**
 * Returns the schema of a name of an existing object that is not one of the reserved names. It can need quotes in SQL, but contains no comma, which
 * separates names in a list of the migrations.
 * @param names the names that are reserved, for the hint
 */
const existing = (names: string, reserved: readonly string[]) =>
  text(
    new RegExp(`^(?!pg_|(${reserved.join("|")})$)[A-Za-z0-9_.@-]{1,63}$`),
    "a name in Postgres",
    `use at most 63 of A-Z, a-z, 0-9, _, ., @ and -; Postgres reserves ${names}`,
  );
/** A database or a role that exists. */
export const existingName = () => existing("pg_*, public and none", ["public", "none"]);
const OTHER_SCHEMAS = ["information_schema", "catalog", "gatehouse", "gatehouse_[a-z0-9_]*"];
/** A schema that the anonymous role can read. */
export const schemaName = () => identifier(...OTHER_SCHEMAS);
/** A schema that it cannot read. */
export const closedSchemaName = () =>
  existing("pg_*, Gatehouse reserves catalog, gatehouse and gatehouse_*", ["none", ...OTHER_SCHEMAS]);
/** A prefix that stays open. */
export const publicPath = () =>
  text(PUBLIC_PATH, "a plain path prefix", "write it like /public: not / itself, no . or .. segments, no ? # or %");
/** A group's name: characters that `X-idp-groups` can contain. Categories C and Z, but for the space, are what Python calls not printable. */
export const group = () =>
  text(
    /^(?! )([^,\p{C}\p{Z}]| )+(?<! )$/u,
    "a group name without commas, invisible characters and outer spaces",
    "X-idp-groups separates groups with commas; rename the group",
  ).refine((name) => name === name.normalize("NFC"), {
    error: "a group name in Unicode NFC (composed characters); type the name again, because both forms look the same",
  });
/** A version with three numbers. */
export const version = (of: string, example: string) =>
  text(/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/, `a version of ${of}`, `write it like ${example}`);
/** A path on the application's own host. */
export const redirectPath = () =>
  text(
    REDIRECT_PATH,
    "a path that starts with /, and is not below /outpost.goauthentik.io, which the gateway routes to the outpost",
    "write the callback's path without host, e.g. /login/callback",
  );
/** A path below which something is served. */
export const basePath = () =>
  text(/^\/((?!\.{1,2}\/)[A-Za-z0-9._~-]+\/)*$/, "a path that starts and ends with /", "write it like /explore/");
/** A number from 1 on. */
export const positiveInteger = (max: number) => {
  const message = `a whole number from 1 to ${max}; use a number in that range`;
  return z.int().min(1, message).max(max, message);
};
/** A port, as a number only. */
export const portNumber = () => positiveInteger(65_535);
/** A port, as a number or as a variable that contains one. */
export const port = () =>
  z
    .union(
      [portNumber(), z.string().regex(/^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/)],
      "a port from 1 to 65535, or one ${VARIABLE}; write a number without quotes",
    )
    .register(TEMPLATES, { kind: "port" });
/** A day, in UTC, as `2027-01-31`. */
export const date = () => {
  const error = "a day; write it like 2027-01-31";
  return z
    .string()
    .regex(DAY, { error, abort: true })
    .transform((day) => day.slice(0, "2027-01-31".length))
    .refine(isDay, { error });
};
/** A network, as an address and the length of its prefix. */
export const cidr = () =>
  z
    .union(
      [z.cidrv4(), z.cidrv6()],
      "a network in CIDR notation; write it like 10.0.0.0/8, or 10.1.2.3/32 for one address",
    )
    .refine(isNetworkAddress, {
      error:
        "the address of a network without the bits of a host; write it like 10.0.0.0/8, or 10.1.2.3/32 for one address",
    });
/** Domain kinds on which something is exposed. */
export const exposedOn = () =>
  z.union([z.literal("auto"), z.array(z.string())], "a list of domain kinds, or auto; write e.g. [localhost, mesh]");

function isDay(text: string): boolean {
  const day = new Date(text);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

const labelKey = () =>
  text(
    /^((?=[^/]{1,253}\/)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/,
    "the key of a Kubernetes label",
    "write it like release",
  );
const labelValue = () =>
  text(
    /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/,
    "the value of a Kubernetes label",
    "use at most 63 letters, digits and . _ -",
  );

/** Labels of Kubernetes (concepts, "Labels and Selectors"): names with an optional prefix, and values of at most 63 characters. */
export const kubernetesLabels = () => z.record(labelKey(), labelValue());

/** `protect` of each database that the stack creates. */
export const databaseProtection = z
  .boolean()
  .optional()
  .describe(
    "Refuses to drop a database that the stack created. Default: true on an existing server, else `postgres.install.protect`.",
  );
