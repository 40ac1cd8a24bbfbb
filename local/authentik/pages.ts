import { html, raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const style = `body{font:16px/1.5 system-ui,sans-serif;background:#18191b;color:#eee;margin:0;display:grid;min-height:100vh;place-items:center}
main{background:#26282c;border-radius:8px;padding:2rem;width:min(24rem,80vw)}h1{font-size:1.4rem;margin-top:0}
label{display:block;margin-top:1rem}input{box-sizing:border-box;font:inherit;padding:.5rem;width:100%}
button{background:#fd4b2d;border:0;border-radius:4px;color:#fff;cursor:pointer;font:inherit;margin-top:1rem;padding:.6rem;width:100%}
a{color:#ff9d8b}[role=alert]{color:#ff9d8b}footer{color:#999;font-size:.8rem;margin-top:2rem}`;

/** Answers the executor's challenges one by one, as authentik's own page does. */
const script = `
const executor = "/api/v3/flows/executor/" + location.pathname.split("/")[3] + "/?query=" + encodeURIComponent(location.search.slice(1));
const main = document.getElementById("flow");
const csrf = () => (document.cookie.match(/authentik_csrf=([^;]+)/) || [])[1] || "";
const fields = { "ak-stage-identification": ["uid_field", "Email or Username", "text", "username", "Log in"],
  "ak-stage-password": ["password", "Password", "password", "current-password", "Continue"] };
const element = (name, properties) => Object.assign(document.createElement(name), properties);
async function ask(body) {
  const answer = await fetch(executor, body && { method: "POST", body: JSON.stringify(body),
    headers: { "content-type": "application/json", "x-authentik-csrf": csrf() } });
  show(await answer.json());
}
function show(challenge) {
  if (challenge.component === "xak-flow-redirect") return location.assign(challenge.to);
  const heading = element("h1", { textContent: challenge.flow_info ? challenge.flow_info.title : "authentik" });
  const stage = fields[challenge.component];
  const faults = Object.values(challenge.response_errors || {}).flat().map((fault) => fault.string);
  const alert = element("p", { role: "alert", textContent: challenge.error_message || challenge.detail || faults.join(" ") });
  if (!stage) return main.replaceChildren(heading, alert, element("a", { href: "/flows/-/cancel/", textContent: "Start again" }));
  const [name, label, type, autocomplete, action] = stage;
  const form = element("form", { method: "post" });
  const input = element("input", { id: name, name, type, autocomplete, required: true });
  const pending = challenge.pending_user ? [element("p", { textContent: challenge.pending_user + " " })] : [];
  pending[0]?.append(element("a", { href: "/flows/-/cancel/", textContent: "Not you?" }));
  form.append(element("label", { htmlFor: name, textContent: label }), input, alert, element("button", { type: "submit", textContent: action }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask({ component: challenge.component, [name]: input.value });
  });
  main.replaceChildren(heading, ...pending, form);
  input.focus();
}
ask();`;

function layout(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title} - authentik (stand-in)</title>
        <style>
          ${raw(style)}
        </style>
      </head>
      <body>
        <main>
          ${body}
          <footer>This is a stand-in for authentik, part of Gatehouse's local platform. It is not authentik.</footer>
        </main>
      </body>
    </html>`;
}

export const loginPage = () =>
  layout(
    "Log in",
    html`<div id="flow"><noscript>Signing in needs JavaScript.</noscript></div>
      <script>
        ${raw(script)};
      </script>`,
  );

export const interfacePage = (name: string) =>
  layout(
    name,
    html`<h1>${name}</h1>
      <p>
        authentik's own ${name} has no counterpart here. Objects are managed by the API under
        <code>/api/v3/</code>.
      </p>
      <p>
        <a href="/flows/-/default/authentication/?next=/if/user/">Log in</a> ·
        <a href="/flows/-/default/invalidation/">Log out</a>
      </p>`,
  );

export const messagePage = (title: string, message: string) =>
  layout(
    title,
    html`<h1>${title}</h1>
      <p role="alert">${message}</p>
      <p><a href="/if/user/">Go back to authentik</a></p>`,
  );
