import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import type { LookupFunction } from "node:net";
import { Agent, fetch } from "undici";

import { asText } from "../bridge.ts";
import type { Values } from "../protocol/plugin.ts";

/**
 * The hosts file, then the DNS servers, as in the static Go program: without the rule for `*.localhost` (measured: "dial tcp: lookup authentik.localhost on
 * 10.255.255.53:53: no such host").
 */
const lookup: LookupFunction = (host, { all }, callback) => {
  const found = (address: string): void => {
    if (all) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  };
  const line = readFileSync("/etc/hosts", "utf8")
    .split("\n")
    .find((entry) => entry.replace(/#.*/, "").split(/\s+/).slice(1).includes(host));
  if (line !== undefined) return found(line.trim().split(/\s+/)[0] ?? "");
  new Resolver().resolve4(host).then(
    ([address = ""]) => found(address),
    () => callback(new Error(`dial tcp: lookup ${host}: no such host`), ""),
  );
};

interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api/v3`, with slashes at both ends. */
  readonly path: string;
  /** A list repeats its name. */
  readonly query?: Values | undefined;
  readonly body?: Values;
}

/** authentik's API as the Terraform provider uses it: no retry, no timeout, 404 means deleted, and its messages for every other error. */
export class Api {
  readonly #base: URL;
  readonly #headers: Record<string, string>;
  readonly #dispatcher: Agent;

  constructor(url: string, token: string, version: string, insecure: boolean) {
    this.#base = new URL(url);
    if (!this.#base.pathname.endsWith("/api/v3")) this.#base.pathname = this.#base.pathname.replace(/\/?$/, "/api/v3");
    this.#headers = {
      Accept: "application/json",
      "Accept-Encoding": "gzip",
      Authorization: `Bearer ${token}`,
      "User-Agent": `authentik-terraform@${version}`,
    };
    const connect = { lookup, rejectUnauthorized: !insecure };
    this.#dispatcher = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** One object; undefined after a 404. @throws when the response has no field `key` */
  async object(call: Call, key = "pk"): Promise<Values | undefined> {
    return this.#send(call, [key]);
  }

  /** The entries of a list's first page; undefined after a 404. */
  async list(call: Call): Promise<Values[] | undefined> {
    const page = await this.#send(call, ["pagination", "results", "autocomplete"]);
    return page && (page.results as Values[]);
  }

  /** A call whose response body is ignored, as by the real provider. */
  async command(call: Call): Promise<void> {
    await this.#send(call, undefined);
  }

  async #send(call: Call, required: readonly string[] | undefined): Promise<Values | undefined> {
    const url = new URL(this.#base);
    url.pathname += call.path;
    for (const [name, value] of Object.entries(call.query ?? {})) {
      for (const one of [value ?? ""].flat()) url.searchParams.append(name, asText(one));
    }
    url.searchParams.sort();
    const response = await fetch(url, {
      dispatcher: this.#dispatcher,
      method: call.method,
      headers: call.body ? { ...this.#headers, "Content-Type": "application/json" } : this.#headers,
      redirect: "manual",
      body: call.body ? JSON.stringify(call.body) : null,
    }).catch((error: unknown) => {
      const { message } = (error as Error).cause as Error;
      throw new Error(`HTTP Error '${call.method} "${url.href}": ${message}' without http response`, { cause: error });
    });
    const text = await response.text();
    const fail = (reason: string): never => {
      throw new Error(`HTTP Error '${reason}' during request '${call.method} ${url.pathname}': "${text}"`);
    };
    const { status } = response;
    if (status === 404) return undefined;
    if (status >= 300) return fail(`${status} ${STATUS_CODES[status] ?? ""}${detail(status, text)}`);
    if (!required) return {};
    if (text === "") throw new Error("error reading from server: EOF");
    const type = response.headers.get("content-type") ?? "";
    if (!/^application\/([\w.-]+\+)?json/i.test(type)) return fail("undefined response type");
    const answer = JSON.parse(text) as Values;
    const missing = required.find((name) => answer[name] === undefined);
    return missing === undefined ? answer : fail(`no value given for required property ${missing}`);
  }
}

function detail(status: number, text: string): string {
  const found = status === 403 ? /"detail":\s*"([^"]*)"/.exec(text)?.[1] : undefined;
  return found === undefined ? "" : `  (${found})`;
}
