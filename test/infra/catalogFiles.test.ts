import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseStack } from "../../config/load.ts";
import type { DataApi } from "../../config/settings.ts";
import { buildProblem, readCatalogFiles } from "../../infra/data/catalogFiles.ts";
import { shell, stack } from "../config/stacks.ts";

describe("the built files", () => {
  let project: string;
  const dataApi = parseStack(stack(), shell).dataApi as DataApi;
  const write = (path: string, content: string | Buffer, seconds = 1000) => {
    const file = join(project, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, seconds, seconds);
  };
  const built = () => {
    write("catalog/index.html", "source", 999);
    write("catalog/src/main.ts", "source", 1000);
    write("catalog/dist/index.html", "page");
    write("catalog/dist/index.html.br", "page, compressed", 1001);
    write("catalog/dist/assets/a.js", "script");
    write("catalog/dist/assets/a.js.br", "script, compressed");
    write("catalog/dist/server.mjs", "server");
  };
  const read = () =>
    [...readCatalogFiles(dataApi, "dev", project, project)].map(([path, content]) => [path, String(content)]);

  beforeEach(() => {
    project = mkdtempSync(join(tmpdir(), "gatehouse-built-"));
    mkdirSync(join(project, "catalog"));
  });
  afterEach(() => rmSync(project, { recursive: true }));

  test("are the server and the compressed files, in a fixed order", () => {
    built();
    expect(buildProblem(project)).toBe(undefined);
    expect(read()).toEqual([
      ["assets/a.js.br", "script, compressed"],
      ["index.html.br", "page, compressed"],
      ["server.mjs", "server"],
    ]);
  });

  test("include the contract of the stack only", () => {
    built();
    write("contract/dev/api_v1.json", '{"schema":"api_v1"}\n');
    write("contract/dev/marts.json", "{}");
    write("contract/dev/CHANGELOG.md", "# Changes\n");
    write("contract/other/api_v1.json", "{}");
    const files = readCatalogFiles(dataApi, "dev", project, project);
    const own = ["assets/a.js.br", "index.html.br", "server.mjs"];
    expect([...files.keys()]).toEqual([...own, "contract.json.br", "changelog.md.br"]);
    const text = (name: string) => brotliDecompressSync(files.get(name) ?? Buffer.alloc(0)).toString();
    expect([text("contract.json.br"), text("changelog.md.br")]).toEqual(['{"schema":"api_v1"}\n', "# Changes\n"]);
    expect([...readCatalogFiles(dataApi, "new", project, project).keys()]).toEqual(own);
  });

  test("throws with a hint when the build is missing or incomplete", () => {
    const refusal = "the catalog is not built; run: npm run build:catalog";
    expect(read).toThrow(refusal);
    write("catalog/dist/index.html.br", "page");
    expect(read).toThrow(refusal);
  });

  test("throws with a hint when a source is newer", () => {
    built();
    write("catalog/src/deep/text.ts", "source", 1001);
    expect(read).toThrow("the catalog is older than its sources; run: npm run build:catalog");
  });

  test("are not compared with the compiled files of an npm package", () => {
    write("catalog/dist/server.mjs", "server");
    write("catalog/limits.js", "compiled", 1001);
    expect(buildProblem(project)).toBe(undefined);
  });

  test("throws when the files exceed the size of a ConfigMap", () => {
    built();
    const others = "script, compressed".length + "page, compressed".length;
    write("catalog/dist/server.mjs", Buffer.alloc(1_048_576 - others));
    expect(buildProblem(project)).toBe(undefined);
    expect(read().length).toBe(3);
    write("catalog/dist/server.mjs", Buffer.alloc(1_048_577 - others));
    expect(read).toThrow("the built catalog has 1048577 bytes, but a ConfigMap can contain at most 1048576");
  });
});
