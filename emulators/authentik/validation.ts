import { EMBEDDED_OUTPOST } from "./objects.ts";
import type { Fields, Stored, User } from "./objects.ts";
import { ApiError } from "./apiError.ts";
import type { Resource, Runtime } from "./resources.ts";

const GRANT_TYPES = [
  "authorization_code",
  "implicit",
  "hybrid",
  "refresh_token",
  "client_credentials",
  "password",
  "urn:ietf:params:oauth:grant-type:device_code",
];

/** @throws ApiError for values that fit the schema, but that a serializer of authentik refuses */
export function validate(runtime: Runtime, { schema }: Resource, current: Stored | undefined, body: Fields): void {
  // Postgres stores no NUL.
  const withNull = Object.entries(body).find(([, value]) => typeof value === "string" && value.includes("\0"));
  if (withNull) refuse(withNull[0], "Null characters are not allowed.");
  if (schema === "ProxyProvider") validateProxy(body);
  if (schema === "Outpost") validateOutpost(runtime, current, body);
  if (schema === "PolicyBinding") validateBinding(body);
  if (schema === "Application") validateSlug(body);
  if (schema === "ScopeMapping") validateScope(body);
  if (schema === "Token") validateToken(current, body);
  if (schema === "User") validateUser(current as User | undefined, body);
  if (typeof body["expression"] === "string") validateExpression(runtime, schema, current, body["expression"]);
  const unknown = ((body["grant_types"] ?? []) as string[]).find((type) => !GRANT_TYPES.includes(type));
  if (unknown !== undefined) refuse("grant_types", `"${unknown}" is not a valid choice.`);
}

const RESERVED_SLUGS = ["authorize", "token", "device", "userinfo", "introspect", "revoke"];

function validateSlug({ slug }: Fields): void {
  if (!RESERVED_SLUGS.includes(slug as string)) return;
  refuse("slug", `The slug '${String(slug)}' is reserved and cannot be used for applications.`);
}

function validateScope({ scope_name: name = "" }: Fields): void {
  if ((name as string).includes(" ")) refuse("scope_name", "Value must not contain spaces.");
}

/** A new policy has another name in the message, and a new mapping none. */
function validateExpression({ claims }: Runtime, schema: string, current: Stored | undefined, text: string): void {
  const name = current?.["name"] ?? (schema === "ExpressionPolicy" ? "temp-policy" : "None");
  const problem = claims.syntaxError(text, name as string);
  if (problem !== undefined) refuse("expression", `Expression Syntax Error: ${problem}`);
}

function validateToken(current: Stored | undefined, { intent = "api", user }: Fields): void {
  if (current && user !== undefined && user !== current["user"]) refuse("user", "User cannot be changed");
  if (!["api", "app_password"].includes(intent as string)) refuse("intent", `Invalid intent ${String(intent)}`);
}

const INTERNAL = "internal_service_account";

function validateUser(current: User | undefined, { path = "users", type }: Fields): void {
  const segments = (path as string).split("/");
  if (segments[0] === "" || segments.at(-1) === "") refuse("path", "No leading or trailing slashes allowed.");
  if (segments.includes("")) refuse("path", "No empty segments in user path allowed.");
  if (!current && type === INTERNAL) refuse("type", "Setting a user to internal service account is not allowed.");
  if (current?.type !== INTERNAL) return;
  if (type !== undefined && type !== INTERNAL)
    refuse("type", "Can't change internal service account to other user type.");
  refuse("non_field_errors", "Can't modify internal service account users");
}

function refuse(field: string, message: string): never {
  throw new ApiError(400, { [field]: [message] });
}

/** authentik reads the mode of the request alone, of a PATCH too. */
function validateProxy({ mode = "proxy", internal_host = "" }: Fields): void {
  if (mode !== "proxy" || internal_host !== "") return;
  refuse("internal_host", "Internal host cannot be empty when forward auth is disabled.");
}

/** authentik reads the request alone, and fails without a target (measured on 2026.5: 405). */
function validateBinding({ target, group, policy, user }: Fields): void {
  if (target === undefined) throw new ApiError(405, {});
  const given = [group, policy, user].filter((value) => value !== undefined && value !== null).length;
  const problem =
    given > 1 ? "Only one of 'group', 'policy', 'user' can be set." : "One of 'group', 'policy', 'user' must be set.";
  if (given !== 1) refuse("non_field_errors", problem);
}

function validateOutpost({ store }: Runtime, current: Stored | undefined, body: Fields): void {
  if (!Array.isArray(body["providers"])) return;
  const providers = body["providers"] as number[];
  const isOther = providers.some((id) => store.get("provider", id)?.model !== "proxy");
  if (body["type"] === "proxy" && isOther)
    refuse("providers", "Outpost type proxy can't be used with OAuth2Provider providers.");
  const isEmbedded = current?.["managed"] === EMBEDDED_OUTPOST;
  if (providers.length === 0 && !isEmbedded) refuse("providers", "This list may not be empty.");
}
