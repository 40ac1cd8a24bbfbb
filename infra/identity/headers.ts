/** The identity headers (docs/applications.md). */

/** The six names, spelled as applications receive them. */
export const IDENTITY_HEADERS = [
  "X-idp-username",
  "X-idp-email",
  "X-idp-groups",
  "X-idp-name",
  "X-idp-uid",
  "X-idp-jwt",
] as const;

/** Headers about the user that an outpost of authentik sets. Gatehouse sends none, but an application that authentik protected before may trust them. */
const AUTHENTIK_USER = ["username", "groups", "entitlements", "email", "name", "uid", "jwt"].map(authentikHeader);
/** Headers about itself that an outpost sets. */
const AUTHENTIK_META = ["jwks", "outpost", "provider", "app", "version"].map((name) => authentikHeader(`meta-${name}`));

function authentikHeader(name: string): string {
  return `X-authentik-${name}`;
}

/** The headers that an outpost of authentik 2026.5 sets. */
export const AUTHENTIK_HEADERS: readonly string[] = [...AUTHENTIK_USER, ...AUTHENTIK_META];

/** Scope of the mapping that sets the headers. Sorts after `ak_proxy`, so that authentik merges it last. */
export const IDENTITY_SCOPE = "gatehouse_identity";

/** Scope of the mapping that adds inherited groups to `X-idp-jwt`. */
export const INHERITED_GROUPS_SCOPE = "gatehouse_inherited_groups";
/** authentik's mapping of `profile` lists direct groups only; the lists of both mappings are merged. */
export const INHERITED_GROUPS_EXPRESSION = `direct = {group.name for group in request.user.groups.all()}
return {"groups": sorted({group.name for group in request.user.all_groups()} - direct)}`;

/**
 * Returns every spelling that some application server folds into an identity header of Gatehouse or of authentik. Forward auth overwrites only the dashed one
 * (CVE-2026-33433, CVE-2026-54763, CVE-2026-88011), so a client's others would reach the application. Those that identify no user are listed in
 * one spelling, because each name costs 40 ns for each request (measured): 27 spellings of five names would be more than all others.
 */
export function identityHeaderSpellings(): string[] {
  return [...[...IDENTITY_HEADERS, ...AUTHENTIK_USER].flatMap(spellings), ...AUTHENTIK_META];
}

/** Returns every spelling of a header that some application server folds into one: `-`, `_` or `.` between its words. The dashed one is first. */
export function spellings(header: string): string[] {
  const [first = "", ...rest] = header.split("-");
  const grow = (names: string[], word: string) =>
    names.flatMap((name) => ["-", "_", "."].map((separator) => name + separator + word));
  return rest.reduce(grow, [first]);
}

/**
 * Returns the scope mapping that sets the headers, in authentik's language: the body of a Python function.
 *
 * A group whose name would read as another's is left out of `X-idp-groups`: one with a comma, an invisible character, outer spaces or decomposed
 * characters. The JWT carries every group as a list. Elsewhere an invisible character becomes a question mark: a line break must not end a header, and
 * leaving it out would make two users look the same.
 * An attribute `additionalHeaders` of a user or group is merged with these by exact name, but an outpost writes names without regard to case,
 * in random order: each of its spellings of a name gets the same value. It removes names with an underscore.
 * Without a token there is no login: authentik evaluates each mapping for its anonymous user, too, to list the claims of a discovery document, which anyone
 * may request, and of each provider that an outpost reads (docs/authentik.md). Each evaluation would sign and store a JWT.
 * The JWT is minted for a separate provider: authentik's proxy token is HS256 with a secret that is never handed out. It lives as long as
 * the session, because authentik computes headers once, at login.
 * @param signer name of the provider that signs
 */
export function headersExpression(signer: string): string {
  return `import unicodedata

if "token" not in request.context:
    return {}

def text(value):
    return "".join(c if c.isprintable() else "?" for c in str(value))

def readable(name):
    return name.isprintable() and "," not in name and name == name.strip() and unicodedata.is_normalized("NFC", name)

groups = sorted({group.name for group in request.user.all_groups()})
headers = {
    "X-idp-username": text(request.user.username),
    "X-idp-email": text(request.user.email),
    "X-idp-groups": ",".join(name for name in groups if readable(name)),
    "X-idp-name": text(request.user.name),
    "X-idp-uid": text(request.user.uid),
    "X-idp-jwt": ak_create_jwt(
        request.user,
        "${signer}",
        ["openid", "email", "profile", "${INHERITED_GROUPS_SCOPE}"],
        provider.access_token_validity,
    ),
}
values = {name.lower(): value for name, value in headers.items()}
others = request.user.group_attributes(request).get("additionalHeaders")
if isinstance(others, dict):
    headers.update({name: values[name.lower()] for name in others if name.lower() in values})
return {"ak_proxy": {"user_attributes": {"additionalHeaders": headers}}}`;
}
