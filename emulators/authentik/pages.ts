import { readFileSync } from "node:fs";
import { html, raw } from "hono/html";

const read = (file: string) => readFileSync(new URL(file, import.meta.url), "utf8");
const [head, middle, foot] = read("page.html").split(/\{\w+\}/);
const page = (title: string, content: unknown) => html`${raw(head)}${title}${raw(middle)}${content}${raw(foot)}`;

/** The page that runs a flow. */
export const flowPage = () => page("Log in", raw(read("flow.html")));

/** A page with one message and a way back; both are plain text. */
export const messagePage = (title: string, message: string) =>
  page(
    title,
    html`<h1>${title}</h1>
      <p role="alert">${message}</p>
      <p><a href="/if/user/">Go back to authentik</a></p>`,
  );
