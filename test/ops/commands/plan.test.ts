import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { computePlan } from "../../../infra/plan/plan.ts";
import { parseStack, readStackFile } from "../../../config/load.ts";
import { main } from "../../../ops/commands/plan.ts";
import { SHELL } from "../../helpers/shell.ts";

const root = join(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "gatehouse-plan-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command in a separate folder. */
async function run(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  const seen = { out: "", error: "" };
  const code = await main(args, {
    ...SHELL,
    folder,
    out: (text) => (seen.out += text),
    error: (text) => (seen.error += text),
  });
  return { code, ...seen };
}

const SMALL = `
config:
  gatehouse:domains:
    localhost: { port: 8080 }
    mesh: { enabled: true, base_domain: mesh.example.org, targets: [203.0.113.7] }
  gatehouse:protected_services:
    - name: wiki
      type: proxy
      description: Handbook
      domains: auto
      application_slug: wiki
      groups: [staff, admins]
      public_paths: [/health, /assets/]
    - { name: old, type: basic, description: Old, domains: [localhost], basic_auth: { username: ops, password: "\${OLD}" } }
  gatehouse:identity_provider: { install: false, url: https://sso.example.org, token: "\${TOKEN}" }
  gatehouse:gateway: { version: 3.7.13 }
  gatehouse:test_environments: { enabled: false }
`;

describe("npx gatehouse plan", () => {
  test("prints hosts, protections, groups, public paths, records and warnings", async () => {
    writeFileSync(join(folder, "Pulumi.small.yaml"), SMALL);
    const { code, out, error } = await run("--file", "Pulumi.small.yaml");
    expect([code, error]).toEqual([0, ""]);
    await expect(out).toMatchFileSnapshot(join(root, "test", "golden", "small.plan.txt"));
  });

  test("prints the grants of a data API", async () => {
    const { out } = await run("dev");
    expect(out).toContain(
      "Grants on database gatehouse: public -, gatehouse_authenticator CONNECT, gatehouse_owner CONNECT TEMPORARY",
    );
    expect(out).toMatch(/│ api_v1 +│ gatehouse_anonymous +│ USAGE +│ SELECT +│ - +│ - +│/);
    expect(out).toMatch(/│ private_raw +│ gatehouse_anonymous +│ - +│ - +│ - +│ - +│/);
    expect(out).toContain("gatehouse_owner gives gatehouse_anonymous on every table of marts: SELECT");
  });

  test.each(["dev", "local", "production"])("prints the whole plan of %s as JSON", async (stack) => {
    const { code, out } = await run(stack, "--json");
    const raw = readStackFile(join(root, `Pulumi.${stack}.yaml`), stack);
    const plan = computePlan(parseStack(raw, {}, { secretsRequired: false }));
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(plan)));
  });

  test("exits with 2 and prints every problem to standard error", async () => {
    writeFileSync(join(folder, "bad.yaml"), "config:\n  gatehouse:domain: {}\n  gatehouse:postgres: 5\n");
    expect(await run("prod", "--file", "bad.yaml")).toEqual({
      code: 2,
      out: "",
      error: [
        "bad.yaml: 5 problems",
        '  gatehouse:domain: unknown key. Did you mean "gatehouse:domains"?',
        "  domains: missing. Add gatehouse:domains.",
        "  protected_services: missing. Add gatehouse:protected_services.",
        "  identity_provider: missing. Add gatehouse:identity_provider.",
        "  postgres: found a number, expected a section. Write its keys below it, indented.",
        "",
      ].join("\n"),
    });
  });

  test("exits with 2 for a stack that does not exist", async () => {
    expect(await run("nowhere")).toEqual({
      code: 2,
      out: "",
      error:
        "Pulumi.nowhere.yaml: 1 problem\n" +
        "  Pulumi.nowhere.yaml: does not exist. Name a stack whose Pulumi.<stack>.yaml exists, or write one: npx gatehouse init.\n",
    });
  });

  test("exits with 2 for a wrong command line", async () => {
    expect(await run()).toEqual({ code: 2, out: "", error: "error: name a stack, e.g. npx gatehouse plan dev\n" });
    expect(await run("dev", "--jsn")).toEqual({
      code: 2,
      out: "",
      error: "error: unknown option '--jsn'\n(Did you mean --json?)\n",
    });
  });
});
