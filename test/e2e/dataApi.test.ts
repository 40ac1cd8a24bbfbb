import { Client } from "pg";
import { describe, expect, inject, test } from "vitest";
import { type Answer, headerOf, type RequestOptions, withClient } from "../../ops/http.ts";
import { origin } from "./world.ts";

const ask = (path: string, options: RequestOptions = {}): Promise<Answer> =>
  withClient((client) => client.send(`${origin("data")}${path}`, options));
const marts = { headers: { "accept-profile": "marts" } };
const rowsOf = (answer: Answer): Record<string, unknown>[] => JSON.parse(answer.body) as Record<string, unknown>[];

describe("the self-describing root", () => {
  test("is Swagger 2.0 with every relation of the default schema and the columns' descriptions", async () => {
    const answer = await ask("/");
    expect(answer.status).toBe(200);
    const description = JSON.parse(answer.body) as {
      swagger: string;
      host: string;
      paths: Record<string, unknown>;
      definitions: Record<string, { properties: Record<string, { description?: string }> }>;
    };
    expect(description.swagger).toBe("2.0");
    expect(`http://${description.host}`).toBe(`${origin("data")}${new URL(origin("data")).port === "" ? ":80" : ""}`);
    expect(Object.keys(description.paths).sort()).toEqual(["/", "/distrikt_summary", "/indicator_summary"]);
    expect(description.definitions["distrikt_summary"]?.properties["kommuner"]?.description).toBe(
      "Number of municipalities in the county",
    );
  });
});

describe("rows", () => {
  test("of a relation of the default schema are a JSON array", async () => {
    const answer = await ask("/distrikt_summary?fylke_nr=eq.03");
    expect(answer.status).toBe(200);
    expect(rowsOf(answer)).toEqual([{ fylke_nr: "03", fylke_navn: "Oslo", kommuner: 1 }]);
  });

  test("filters combine, and limit bounds", async () => {
    const one = await ask("/dim_kommune?fylke_nr=eq.11&kommune_nr=eq.1103", marts);
    expect(rowsOf(one).map((row) => row["kommune_navn"])).toEqual(["Stavanger"]);
    const none = await ask("/dim_kommune?fylke_nr=eq.03&kommune_nr=eq.1103", marts);
    expect(rowsOf(none)).toEqual([]);
    expect(rowsOf(await ask("/dim_kommune?limit=3", marts)).length).toBe(3);
    expect(rowsOf(await ask("/dim_kommune?limit=0", marts))).toEqual([]);
  });

  test.each([
    ["/dim_kommune", "marts", "*/357"],
    ["/dim_fylke", "marts", "*/15"],
    ["/ssb_kommuner", "raw", "*/357"],
    ["/distrikt_summary", "api_v1", "*/15"],
  ])("HEAD %s?limit=0 in %s carries the exact count %s and no rows", async (path, schema, count) => {
    const answer = await ask(`${path}?limit=0`, {
      method: "HEAD",
      headers: { "accept-profile": schema, prefer: "count=exact" },
    });
    expect([headerOf(answer, "content-range"), answer.body]).toEqual([count, ""]);
  });

  test("of a raw landing are found by region_code, of an entity by orgnr", async () => {
    const landing = await ask("/ssb_kommuner?region_code=eq.0301", { headers: { "accept-profile": "raw" } });
    expect(rowsOf(landing).map((row) => row["region_name"])).toEqual(["Oslo"]);
    const entity = await ask("/dim_enhet?orgnr=eq.958935420", marts);
    expect(rowsOf(entity).map((row) => row["kommune_nr"])).toEqual(["0301"]);
  });
});

describe("what is not served", () => {
  test.each([["/dim_kommune"], ["/ssb_kommuner"], ["/person"], ["/nothing"]])(
    "%s without Accept-Profile answers 404",
    async (path) => {
      expect((await ask(path)).status).toBe(404);
    },
  );

  test.each(["private_marts", "private_raw", "public", "gatehouse", "pg_catalog", "api_v1x", "marts,private_marts"])(
    "Accept-Profile: %s answers 404 and names no schema",
    async (schema) => {
      const answer = await ask("/person", { headers: { "accept-profile": schema } });
      expect(answer.status).toBe(404);
      expect(answer.body).not.toMatch(/private|api_v1|marts|raw/);
    },
  );

  test("personal data is nowhere in an answer", async () => {
    for (const schema of ["api_v1", "marts", "raw"]) {
      const root = await ask("/", { headers: { "accept-profile": schema } });
      const paths = Object.keys((JSON.parse(root.body) as { paths: Record<string, unknown> }).paths);
      for (const path of paths) {
        const answer = await ask(path, { headers: { "accept-profile": schema } });
        expect(answer.body).not.toContain("Sample Person");
      }
    }
  });
});

describe("read only", () => {
  test.each(["POST", "PATCH", "PUT", "DELETE"])("%s is not routed", async (method) => {
    const answer = await ask("/dim_kommune", {
      method,
      headers: { "content-profile": "marts", "accept-profile": "marts", "content-type": "application/json" },
      body: JSON.stringify({ kommune_nr: "9999", kommune_navn: "x", fylke_nr: "03" }),
    });
    expect(answer.status).toBe(404);
  });

  test("the anonymous role can read the exposed schemas and nothing else", async () => {
    const { postgresPort: port, variables } = inject("platform");
    const login = { user: "postgres", password: variables["POSTGRES_PASSWORD"] };
    const client = new Client({ host: "127.0.0.1", port, database: "gatehouse", ...login });
    await client.connect();
    try {
      const { rows } = await client.query<{ schema: string; privileges: string }>(
        `select n.nspname as schema, string_agg(distinct p, ',' order by p) as privileges
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         cross join unnest(array['SELECT','INSERT','UPDATE','DELETE','TRUNCATE','REFERENCES','TRIGGER']) p
         where c.relkind in ('r','v','m','p') and n.nspname !~ '^(pg_|information_schema)'
           and has_table_privilege('gatehouse_anonymous', c.oid, p) group by 1 order by 1`,
      );
      expect(rows).toEqual([
        { schema: "api_v1", privileges: "SELECT" },
        { schema: "marts", privileges: "SELECT" },
        { schema: "raw", privileges: "SELECT" },
      ]);
    } finally {
      await client.end();
    }
  });
});
