/** The identity headers (spec 000, "Identity headers delivered to protected applications"). */

/** The six names, spelled as in the spec. */
export const IDENTITY_HEADERS = [
  "X-idp-username",
  "X-idp-email",
  "X-idp-groups",
  "X-idp-name",
  "X-idp-uid",
  "X-idp-jwt",
] as const;

/**
 * Every spelling that some application server folds into one of the six: `-`, `_` or `.` at either place. Forward auth overwrites
 * only the dashed one (CVE-2026-33433, CVE-2026-54763, CVE-2026-88011), so a client's others would reach the application.
 */
export function identityHeaderSpellings(): string[] {
  const separators = ["-", "_", "."];
  return IDENTITY_HEADERS.flatMap((header) => {
    const [x, idp, rest] = header.split("-") as [string, string, string];
    return separators.flatMap((first) => separators.map((second) => `${x}${first}${idp}${second}${rest}`));
  });
}

/** Slug of the application that signs `X-idp-jwt`; its JWKS is what applications verify against. */
export const IDENTITY_SLUG = "gatehouse-identity";

/**
 * The scope mapping that sets the headers, in authentik's language: the body of a Python function.
 *
 * A group whose name holds a comma is left out of `X-idp-groups`: joined, it would read as membership in two other groups. The JWT
 * carries every group as a list. Control characters are dropped, since a line break in a display name must not end a header.
 * The JWT is minted for a provider of its own: authentik's proxy token is HS256 with a secret that nobody gets. It lives as long as
 * the session, because authentik computes headers once, at login.
 */
export function headersExpression(): string {
  return `def text(value):
    return "".join(c for c in str(value) if c.isprintable())

groups = sorted({group.name for group in request.user.all_groups()})
return {
    "ak_proxy": {
        "user_attributes": {
            "additionalHeaders": {
                "X-idp-username": text(request.user.username),
                "X-idp-email": text(request.user.email),
                "X-idp-groups": ",".join(text(name) for name in groups if "," not in name),
                "X-idp-name": text(request.user.name),
                "X-idp-uid": text(request.user.uid),
                "X-idp-jwt": ak_create_jwt(
                    request.user, "${IDENTITY_SLUG}", ["openid", "email", "profile"], provider.access_token_validity
                ),
            }
        }
    }
}
`;
}
