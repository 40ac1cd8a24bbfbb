/** Parts of the expected matches of routes. */

/** Of every rule for a whole host of an application, and for parts of one. */
export const NO_TUNNEL = "!Method(`CONNECT`) && !HeaderRegexp(`Upgrade`, `(?i)h2|http|tls`)";
export const SIGNED_OUT =
  "(Path(`/outpost.goauthentik.io/start`) && QueryRegexp(`rd`, `/outpost[.]goauthentik[.]io/|^[^/?#:]*:[^/]`) || PathRegexp(`(?i)^/outpost[.]goauthentik[.]io/auth(/|%2F)`))";
export const OUTPOST_PREFIX = "(Method(`GET`) || Method(`HEAD`)) && PathPrefix(`/outpost.goauthentik.io/`)";
