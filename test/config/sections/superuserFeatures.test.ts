import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFolder } from "../../../config/files/folders.ts";
import { SUPERUSER_FEATURES } from "../../../config/sections/postgres/superuserFeatures.ts";

const folder = join(packageFolder(), "infra/data/sql");
const sql = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));

test.each([
  ["event trigger", /\bcreate event trigger (\w+)/g],
  ["parameter", /\bgrant set on parameter (\w+) to %I/g],
  ["setting", /'alter role %I set (\w+) = ''/g],
] as const)("lists every %s of the migrations that needs a superuser", (kind, statement) => {
  const found = sql.flatMap((text) => [...text.matchAll(statement)].map(([, name]) => name));
  const listed = SUPERUSER_FEATURES.flatMap((feature) => (feature.kind === kind ? [feature.name] : []));
  expect(listed.sort()).toEqual(found.sort());
});
