import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readStackFile } from "../../../config/load.ts";
import { checkProjectFile, checkProjectFiles } from "../../../config/files/projectFile.ts";
import { messageOf } from "../stacks.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-project-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("accepts types, and values of other programs", () => {
  const config = { "gatehouse:domains": { type: "object" }, "aws:region": "eu-north-1", other: { type: "string" } };
  expect(() => checkProjectFile(JSON.stringify({ name: "gatehouse", config }))).not.toThrow();
});

test("refuses stack files in another folder, and values and defaults for every stack", () => {
  const config = {
    "gatehouse:data_api": { value: { domains: "auto" } },
    "gatehouse:domains": {
      type: "object",
      default: {},
    },
    "kubernetes:context": "production",
    "variables:DOMAIN": { value: "example.org" },
    // The engine adds the name of the project.
    protected_services: { type: "array", items: { type: "object" }, default: [] },
  };
  const hint = "Write it to Pulumi.<stack>.yaml, which every check reads.";
  expect(
    messageOf(() => checkProjectFile(JSON.stringify({ name: "gatehouse", stackConfigDir: "stacks", config }))),
  ).toBe(
    [
      "Pulumi.yaml: 6 problems",
      "stackConfigDir: reads stack files from another folder. Remove it, and keep them next to Pulumi.yaml.",
      ...Object.keys(config).map((key) => `config.${key}: gives every stack a value. ${hint}`),
    ].join("\n  "),
  );
});

test.each([
  ["name: shop\n", 'is "shop", not "gatehouse"'],
  ["runtime: nodejs\n", 'is not "gatehouse"'],
  // A pointer of Git LFS, for which a checkout writes another file.
  ["version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n", 'is not "gatehouse"'],
])("refuses the name of another project, whose locks and states no command finds: %j", (text, message) => {
  expect(messageOf(() => checkProjectFile(text))).toBe(
    `Pulumi.yaml: 1 problem\n  name: ${message}, below which every command looks for locks and states. Write name: gatehouse; before that, rename each ` +
      "deployed stack (docs/deploy.md, Names).",
  );
});

test.each(["Pulumi.json", "Pulumi.yml"])("refuses %s, which the engine can read instead", (name) => {
  expect(
    messageOf(() =>
      checkProjectFiles(
        (file) => file === name,
        () => "",
      ),
    ),
  ).toBe(
    `${name}: 1 problem\n  ${name}: is another project file, which the engine can read. ` +
      "Remove it: every check reads Pulumi.yaml and Pulumi.<stack>.yaml.",
  );
});

test("refuses what the engine merges into it", () => {
  expect(messageOf(() => checkProjectFile("name: gatehouse\n<<: { stackConfigDir: other }\n"))).toContain(
    "has a merge key << (line 2)",
  );
});

test("is checked with each stack file next to it", () => {
  const file = join(folder, "Pulumi.dev.yaml");
  writeFileSync(file, "config: {}\n");
  expect(readStackFile(file, "dev").config).toEqual({});
  writeFileSync(join(folder, "Pulumi.yaml"), "name: gatehouse\nstackConfigDir: elsewhere\n");
  expect(messageOf(() => readStackFile(file, "dev"))).toContain("stackConfigDir");
});
