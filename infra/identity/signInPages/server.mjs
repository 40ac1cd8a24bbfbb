/**
 * Serves the pages that a user sees instead of an empty answer of an outpost. Plain JavaScript without imports of packages: it runs in the
 * node image as it is.
 *
 * - `/healthz`: 200.
 * - `/outpost.goauthentik.io/start`: the user has no session to sign out of.
 * - `/sign-in-error?url=…`: a login could not be completed. `url` is the address of the callback, whose `state` has the address
 *   that the user wanted; the page links to it. It does not continue by itself: in a browser that sends no cookies that would never end.
 */
import { Buffer } from "node:buffer";
import { createServer } from "node:http";
import process from "node:process";

const OUTPOST = "/outpost.goauthentik.io/";

createServer(({ url = "/" }, response) => {
  const address = parsed(url);
  if (address === undefined) return response.writeHead(400).end();
  const { pathname, searchParams } = address;
  if (pathname === "/healthz") return response.writeHead(200).end();
  if (pathname === `${OUTPOST}start`) {
    return show(response, { title: "You are signed out", text: "You have no session here.", link: "/" });
  }
  if (pathname !== "/sign-in-error") return response.writeHead(404).end();
  const link = wanted(searchParams.get("url") ?? "");
  show(response, {
    title: "Sign in again",
    text:
      "This login was started too long ago, or your session has ended. " +
      "If this page appears each time, allow cookies for this site.",
    link,
  });
}).listen(Number(process.env.PORT ?? 9000), process.env.HOST);

// The first process of a container has no default action for signals.
process.once("SIGTERM", () => process.exit());

/**
 * Returns the URL of a request; undefined for what is none, such as `//[`.
 * @param {string} url path and query, or the whole
 */
function parsed(url) {
  try {
    return new URL(url, "http://localhost");
  } catch {
    return undefined;
  }
}

/**
 * Returns path and query that a login was started for; `/` when the state cannot be read. Always on the host of the page itself.
 * @param {string} callback address of the callback
 */
function wanted(callback) {
  try {
    const state = parsed(callback)?.searchParams.get("state") ?? "";
    /** @type {unknown} */
    const payload = JSON.parse(Buffer.from(state.split(".")[1] ?? "", "base64url").toString());
    const { protocol, pathname, search } = new URL(/** @type {{ redirect: string }} */ (payload).redirect);
    // The path of another scheme may be a whole URL, e.g. of `x:https://example.org`, and any client can write a state.
    if (protocol !== "http:" && protocol !== "https:") return "/";
    // Two slashes would be another host.
    return pathname.startsWith("//") || pathname.startsWith(OUTPOST) ? "/" : pathname + search;
  } catch {
    return "/";
  }
}

/**
 * @param {import("node:http").ServerResponse} response
 * @param {{ title: string, text: string, link: string }} page
 */
function show(response, { title, text, link }) {
  const href = link.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.setHeader("cache-control", "no-store");
  response.setHeader(
    "content-security-policy",
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  );
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("x-content-type-options", "nosniff");
  response.writeHead(200).end(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }
body { margin: 20vh auto; max-width: 32rem; padding: 0 1rem }
h1 { font-size: 1.4rem }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<p><a href="${href}">Sign in</a></p>
</main>
</body>
</html>
`);
}
