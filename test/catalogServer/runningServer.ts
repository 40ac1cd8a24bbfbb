/** A catalog's server over HTTP, with its own small build in a temporary folder. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { serve } from "@hono/node-server";
import { catalog } from "../../catalog/server/app.ts";
import { readSettings } from "../../catalog/server/settings.ts";
import { readSite } from "../../catalog/server/site.ts";

export const SCRIPT = `console.log("${"Rødøy ".repeat(200)}");\n`;
export const PAGE =
  '<!doctype html><link href="./assets/main-1.css"><script src="./assets/main-1.js"></script><p title="./assets/">\n';
const FILES = {
  "index.html": PAGE,
  "assets/main-1.js": SCRIPT,
  "assets/main-1.css": "body{}\n",
  "contract.json": "{}\n",
  "changelog.md": "# Changes\n",
};
export const DATA = "http://data.localhost:8080";
export const LIMITS = {
  maxRows: 500,
  exactCountRows: 600,
  statementTimeout: 2500,
  requestsPerSecond: 7,
  burst: 8,
  inFlight: 9,
  maxAge: 30,
};

/** A folder as a Kubernetes volume has it: links into a hidden folder. Next to what is served is what is not. */
function buildFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-catalog-"));
  const hidden = join(folder, "..2026_11_21");
  for (const [name, text] of Object.entries(FILES)) write(join(hidden, `${name}.br`), brotliCompressSync(text));
  write(join(hidden, "server.mjs"), "secret of the server\n");
  write(join(hidden, "assets/plain.js"), "not compressed\n");
  for (const name of ["index.html.br", "assets", "contract.json.br", "changelog.md.br", "server.mjs"]) {
    symlinkSync(join("..2026_11_21", name), join(folder, name));
  }
  return folder;
}

function write(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface RunningCatalog {
  /** @param path as it goes over the wire */
  readonly ask: (path: string, headers?: Record<string, string>, method?: string) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

/** @param environment in addition to DEFAULT_BASE_URL, which is {@link DATA}, and LIMITS */
export async function startCatalog(environment: Record<string, string> = {}): Promise<RunningCatalog> {
  const folder = buildFolder();
  const settings = readSettings({ DEFAULT_BASE_URL: DATA, LIMITS: JSON.stringify(LIMITS), ...environment });
  const site = readSite(folder, settings.basePath);
  const server = serve({ fetch: catalog(site, settings).fetch, hostname: "127.0.0.1", port: 0 });
  if (!server.listening) await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    ask: (path, headers = {}, method = "GET") => send(port, path, headers, method),
    stop: async () => {
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}

function send(port: number, path: string, headers: Record<string, string>, method: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    outgoing.on("error", reject).end();
  });
}
