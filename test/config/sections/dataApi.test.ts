import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { sections, shell, stack } from "../stacks.ts";

describe("gatehouse:data_api", () => {
  test.each([
    [false, undefined],
    [{}, { host: "catalog", basePath: "/", replicas: 2 }],
    [
      { host: "explore", base_path: "/a/b-1/", replicas: 3 },
      { host: "explore", basePath: "/a/b-1/", replicas: 3 },
    ],
  ])("reads the optional catalog: %j", (catalog, expected) => {
    const raw = stack({ data_api: { ...sections.data_api, catalog } });
    expect(parseStack(raw, shell).dataApi?.catalog).toEqual(expected);
  });

  test.each([
    ["shop", { database: "shop", existing: false, protect: undefined }],
    [{ name: "shop" }, { database: "shop", existing: false, protect: undefined }],
    [
      { name: "shop", existing: true },
      { database: "shop", existing: true, protect: undefined },
    ],
    [
      { name: "shop", protect: false },
      { database: "shop", existing: false, protect: false },
    ],
  ])("reads the name of the database, or a section with it: %j", (database, expected) => {
    expect(parseStack(stack({ data_api: { ...sections.data_api, database } }), shell).dataApi).toMatchObject(expected);
  });

  test("accepts what exists: names that need quotes in SQL, and the schema public", () => {
    const existing = {
      database: { name: "my-shop", existing: true },
      writers: ["loader@project.iam", "DBT"],
      schemas: { exposed: ["api"], private: ["Crm-EU"], hidden: ["public"] },
    };
    const { dataApi } = parseStack(stack({ data_api: { ...sections.data_api, ...existing } }), shell);
    expect(dataApi).toMatchObject({
      database: "my-shop",
      writers: existing.writers,
      exposed: ["api"],
      private: ["Crm-EU"],
      hidden: ["public"],
    });
  });

  test("accepts a day as written in YAML and as passed by the engine", () => {
    const deprecation = {
      since: "2026-01-01 00:00:00 +0000 UTC",
      sunset: "2027-01-01",
      link: "https://example.org/v2",
    };
    const data_api = { ...sections.data_api, schemas: { deprecated: { raw: deprecation } } };
    const { dataApi } = parseStack(stack({ data_api }), shell);
    expect(dataApi?.deprecated).toEqual([{ schema: "raw", ...deprecation, since: "2026-01-01" }]);
  });
});
