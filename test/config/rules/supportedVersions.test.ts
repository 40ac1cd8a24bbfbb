/** docs/versions.md lists what the configuration refuses. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseStack, type RawStack } from "../../../config/load.ts";
import { ConfigError } from "../../../config/errors/problems.ts";
import { sections, shell, stack } from "../stacks.ts";

const stackWith: Readonly<Record<string, (version: string) => RawStack>> = {
  "identity_provider.version": (version) => stack({ identity_provider: { ...sections.identity_provider, version } }),
  "gateway.version": (version) => stack({ gateway: { version } }),
  "data_api.version": (version) => stack({ data_api: { ...sections.data_api, version } }),
  "postgres.install.version": (version) =>
    stack({ postgres: { password: "${POSTGRES}", install: { kind: "statefulset", version } } }),
};

const text = readFileSync(join(import.meta.dirname, "../../../docs/versions.md"), "utf8");
const rows = text
  .split("\n")
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .flatMap(([, , supported = "", refused = "", setting = ""]) => {
    const key = /^`(.+)`$/.exec(setting)?.[1];
    return key === undefined ? [] : [{ key, supported: versionsIn(supported), refused: versionsIn(refused) }];
  });

function versionsIn(cell: string): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, version = ""]) => version);
}

function isRefused(key: string, version: string): boolean {
  try {
    parseStack(stackWith[key]?.(version) ?? stack({}), shell);
    return false;
  } catch (error) {
    if (error instanceof ConfigError && error.problems.every(({ path }) => path === key)) return true;
    throw error;
  }
}

test("names a setting in each row of the table", () => {
  expect(rows.map(({ key }) => key)).toEqual(Object.keys(stackWith));
});

test.each(rows)("$key: accepts supported versions and refuses the others", ({ key, supported, refused }) => {
  const found = [...supported, ...refused].map((version) => [version, isRefused(key, version)]);
  const expected = [...supported.map((version) => [version, false]), ...refused.map((version) => [version, true])];
  expect(found).toEqual(expected);
  expect(Math.min(supported.length, refused.length)).toBeGreaterThan(0);
});
