/** The commands of docs/reading-the-api.md, as they are written there. The gateway is their proxy, since only the port differs. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, inject, test } from "vitest";

const run = promisify(execFile);
const guide = readFileSync(join(import.meta.dirname, "../../docs/reading-the-api.md"), "utf8");

/** Returns the content of the code blocks of a language. */
function blocks(language: string): string[] {
  return [...guide.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, name, text = ""]) =>
    name === language ? [text] : [],
  );
}

let environment: NodeJS.ProcessEnv;
beforeAll(() => {
  const { gatewayPort } = inject("data");
  environment = { ...process.env, http_proxy: `http://127.0.0.1:${gatewayPort}`, no_proxy: "" };
});

async function output(command: string, ...args: string[]): Promise<string> {
  return (await run(command, args, { env: environment, maxBuffer: 10_000_000 })).stdout;
}

/** Returns the first row that a command of the guide prints. */
async function firstRow(command: string): Promise<unknown> {
  expect(blocks("sh").join("")).toContain(`${command}\n`);
  const rows = JSON.parse(
    await output("sh", "-c", command.replace(/^curl/, "curl --silent --fail-with-body")),
  ) as unknown;
  return Array.isArray(rows) ? (rows[0] as unknown) : rows;
}

test("finds a table", async () => {
  const endpoint = await firstRow(
    "curl 'http://data.localhost/meta_endpoints?select=schema,relation,title&order=title'",
  );
  expect(Object.keys(endpoint as object)).toEqual(["schema", "relation", "title"]);
  expect(await firstRow("curl 'http://data.localhost/meta_dimensions?source_id=eq.ssb-klass-131'")).toMatchObject({
    source_id: "ssb-klass-131",
  });
  expect(await firstRow("curl 'http://data.localhost/openapi.json'")).toHaveProperty("paths");
});

test("reads rows as JSON and as CSV", async () => {
  const [json = "", csv = ""] = blocks("sh")[1]?.trimEnd().split("\n") ?? [];
  expect(Object.keys((await firstRow(json)) as object)).toEqual(["fylke_nr", "kommuner"]);
  const lines = (await output("sh", "-c", csv)).trim().split("\n");
  expect(lines[0]).toContain("kommune_nr");
  expect(lines.length).toBeGreaterThan(20);
});

test("reads a whole table by its key", async () => {
  const [program = ""] = blocks("python");
  const count = /Content-Range: 0-9\/(\d+)/.exec(guide)?.[1];
  expect((await output("python3", "-c", program)).trim()).toBe(count);
});

test("runs every command of the guide", () => {
  expect(
    blocks("sh")
      .join("")
      .match(/^curl /gm),
  ).toHaveLength(5);
  expect(blocks("python")).toHaveLength(1);
});
