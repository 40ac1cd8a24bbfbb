import { describe, expect, test } from "vitest";
import { UserError } from "../../../../config/errors/userError.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import type { Plan } from "../../../../infra/plan/types.ts";
import { COMMENT_LENGTH, composeComment } from "../../../../ops/checks/diff/comment.ts";
import { compareVersions, type StackDiff } from "../../../../ops/checks/diff/compare.ts";
import { accessDiff } from "../../../../ops/checks/diff/diff.ts";
import { code, fence, previewBlock, stackBlocks } from "../../../../ops/checks/diff/markdown.ts";
import { describeChanges, describeRefused } from "../../../../ops/checks/diff/report.ts";
import { commandEnvironment, templateVariables } from "../../../../ops/context/ci.ts";
import { painter } from "../../../../ops/terminal/paint.ts";
import { basic, oauth2, proxy, sections, shell, stack } from "../../../config/stacks.ts";
import { BOTH, planOf, settingsOf } from "../../../infra/plan/stacks.ts";

const diffOf = (before: Plan | undefined, after: Plan | undefined): StackDiff => ({
  stack: "dev",
  changes: accessDiff(before, after),
  refused: [],
  problems: undefined,
  baseProblems: undefined,
});
const comment = (diffs: readonly StackDiff[], restUrl?: string, length?: number) =>
  composeComment(
    diffs.flatMap((diff) => stackBlocks(diff, restUrl)),
    restUrl,
    length,
  );
const many = (count: number, groups: string[]) =>
  Array.from({ length: count }, (_, index) => proxy({ name: `s${index}`, application_slug: `s${index}`, groups }));

describe("on a terminal", () => {
  const changes = accessDiff(planOf(BOTH, proxy({})), planOf(BOTH, proxy({ public_paths: ["/healthz"] })));

  test("prints statements that open something in red, and no colours without a terminal", () => {
    expect(describeChanges(changes, painter(true))).toContain("\u001b[31m  ✖ http://wiki.localhost\u001b[39m");
    expect(describeChanges(changes, painter(false))).not.toContain("\u001b");
  });

  test("replaces control and invisible characters in the name of a group", () => {
    const plan = planOf(BOTH, proxy({ groups: ["evil"] }));
    const evil = JSON.parse(JSON.stringify(plan).replaceAll('"evil"', '"a\\u001b[2Jb\\u202e\\nc\\u2069"')) as Plan;
    const text = describeChanges(accessDiff(undefined, evil), painter(false));
    expect(text).toContain("for a?[2Jb??c?;");
    expect(text).not.toMatch(/[\p{Cf}]|(?!\n)\p{Cc}/u);
  });
});

describe("a comment on a pull request", () => {
  test("starts with the statements that open something", () => {
    const before = planOf(BOTH, proxy({ groups: ["staff", "auditors"] }));
    const after = planOf(BOTH, proxy({ groups: ["staff"], public_paths: ["/healthz"] }));
    expect(comment([diffOf(before, after)])).toBe(`### Access: stack \`dev\`

> [!CAUTION]
> **This opens something to the public.**

2 statements open something to the public, 4 take access away.

**Opens to the public**

| Where | What |
| --- | --- |
| \`http://wiki.localhost\`<br>\`https://wiki.mesh.example.org\` | open to everyone, without a session: \`/healthz\` |

**Less access**

| Where | What |
| --- | --- |
| \`http://whoami-wiki.localhost\`<br>\`http://wiki.localhost\`<br>\`https://wiki.mesh.example.org\` | no longer admits \`auditors\` |
| \`group auditors\` | is no longer used; it remains in the identity provider, with its members |
`);
  });

  test("contains no markup from the name of a group", () => {
    const name = "x`|</td><img src=x> @everyone [a](http://b)";
    const text = comment([diffOf(undefined, planOf(BOTH, proxy({ groups: [name] })))]);
    expect(text).toContain("``x`\\|</td><img src=x> @everyone [a](http://b)``");
    expect([code("a`b``c"), code("`"), fence("```\nx")]).toEqual([
      "```a`b``c```",
      "`` ` ``",
      "````text\n```\nx\n````\n",
    ]);
  });

  test("leaves out lines of the preview before any statement if it is too long", () => {
    const blocks = [
      ...stackBlocks(diffOf(undefined, planOf(BOTH, proxy({})))),
      previewBlock("+ line\n".repeat(10_000)),
    ];
    const text = composeComment(blocks, "https://ci.example.org/runs/1");
    expect(text.length).toBeLessThanOrEqual(COMMENT_LENGTH);
    expect(text).not.toContain("more statements");
    expect(text).toMatch(
      /\n```\n\n<\/details>\n\n\*\d+ more lines: \[all of them\]\(https:\/\/ci\.example\.org\/runs\/1\)\.\*\n$/,
    );
  });

  test("fits for 1,200 hosts, cut between statements, with a link to the rest", () => {
    const before = computePlan(settingsOf({ localhost: true, mesh: true, external: true }, many(300, ["a"])));
    const list = many(300, ["b"]).map((one, index) => (index === 299 ? { ...one, public_paths: ["/open"] } : one));
    const after = computePlan(settingsOf({ localhost: true, mesh: true, external: true }, list));
    const short = comment([diffOf(undefined, before), diffOf(before, after)], "https://ci.example.org/runs/1");
    const complete = comment([diffOf(undefined, before), diffOf(before, after)], undefined, Infinity);
    expect(short.length).toBeLessThanOrEqual(COMMENT_LENGTH);
    expect(short.length).toBeGreaterThan(COMMENT_LENGTH - 2000);
    expect(short).toMatch(/\n\*\d+ more statements: \[all of them\]\(https:\/\/ci\.example\.org\/runs\/1\)\.\*\n/);
    // The most dangerous statement is in the second stack, and there all the same.
    expect(short).toContain("`https://s299.mesh.example.org` | open to everyone, without a session: `/open` |");
    const rows = (text: string) => text.split("\n").filter((line) => line.startsWith("| `"));
    const all = new Set(rows(complete));
    expect(rows(short).filter((row) => !all.has(row))).toEqual([]);
    expect(rows(complete).length).toBeGreaterThan(rows(short).length);
  });
});

describe("a long statement in a comment", () => {
  const groups = Array.from({ length: 3300 }, (_, index) => `group-${String(index).padStart(4, "0")}`);
  const changed = diffOf(planOf(BOTH, proxy({ groups: ["a"] })), planOf(BOTH, proxy({ groups })));
  const shown = groups.slice(0, 50).map((name) => `\`${name}\``);
  const row = (text: string) => text.split("\n").find((line) => line.startsWith("| `http://whoami-wiki.localhost`"));
  const where = "| `http://whoami-wiki.localhost`<br>`http://wiki.localhost`<br>`https://wiki.mesh.example.org`";

  test("has the first 50 names of a list, with a link to the others", () => {
    expect(row(comment([changed], "https://ci.example.org/runs/1"))).toBe(
      `${where} | admits ${shown.join(", ")} and [3250 more](https://ci.example.org/runs/1), and no longer admits \`a\` |`,
    );
    expect(row(comment([changed]))).toBe(
      `${where} | admits ${shown.join(", ")} and 3250 more, and no longer admits \`a\` |`,
    );
  });

  test("has all names of a list of 50, and on a terminal those of any list", () => {
    const fits = diffOf(planOf(BOTH, proxy({ groups: ["a"] })), planOf(BOTH, proxy({ groups: groups.slice(0, 50) })));
    expect(row(comment([fits]))).toContain("`group-0048` and `group-0049`, and no longer admits `a` |");
    expect(describeChanges(changed.changes, painter(false))).toContain(
      "group-3298 and group-3299, and no longer admits",
    );
  });

  test("is left out if it does not fit, while shorter ones after it are kept", () => {
    const unit = ["statement", "statements"] as const;
    const rows = [{ text: "Title\n" }, { text: `${"x".repeat(100)}\n`, rank: 0 }, { text: "short\n", rank: 1 }];
    expect(composeComment([{ rows, unit }], undefined, 60)).toBe("Title\nshort\n\n*1 more statement.*\n");
  });

  test("ends a preview, which has no gaps", () => {
    const block = previewBlock(`first\n${"x".repeat(100)}\nlast\n`);
    expect(composeComment([block], undefined, 150)).toBe(
      "\n### Preview\n\n<details><summary>What a deployment would change</summary>\n\n```text\nfirst\n```\n\n</details>\n" +
        "\n*2 more lines.*\n",
    );
  });
});

describe("secrets and variables", () => {
  const versionOf = (changed: Record<string, unknown>) => ({ stacks: ["dev"], read: () => stack(changed) });

  test("prints no secret of either version, valid or not", () => {
    const canaries = Array.from({ length: 20 }, (_, index) => `canary-${index}-7f3a9c`);
    const environment = Object.fromEntries(Object.keys(shell).map((name, index) => [name, canaries[index]]));
    const before = versionOf({ protected_services: [proxy({}), oauth2({}), basic({})] });
    const secretInClear = { username: "ops", password: canaries[19] };
    const heads = [
      versionOf({ protected_services: [oauth2({ enforce: "gateway" }), basic({ description: "x" })] }),
      versionOf({ protected_services: [basic({ basic_auth: secretInClear })] }),
      versionOf({ identity_provider: { ...sections.identity_provider, token: canaries[18] } }),
    ];
    const reported = heads.flatMap((head) => compareVersions(before, head, environment));
    const text =
      JSON.stringify(reported) +
      comment(reported) +
      reported.map(({ changes }) => describeChanges(changes, painter(false))).join();
    expect(reported.map(({ problems }) => problems !== undefined)).toEqual([false, true, true]);
    expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);
  });

  test("reads only the repository's variables in CI, and those of the process elsewhere", () => {
    const values = JSON.stringify({ MESH_DOMAIN: "mesh.example.org", COUNT: 5 });
    expect(templateVariables({ TOKEN: "t", GATEHOUSE_VARIABLES: values })).toEqual({ MESH_DOMAIN: "mesh.example.org" });
    expect([templateVariables({ CI: "true", TOKEN: "t" }), templateVariables({ TOKEN: "t" })]).toEqual([
      {},
      { TOKEN: "t" },
    ]);
    expect(templateVariables({ GATEHOUSE_VARIABLES: "null" })).toEqual({});
    expect(templateVariables({ CI: "true", GATEHOUSE_VARIABLES: "", TOKEN: "t" })).toEqual({});
  });

  test("adds the repository's variables to the environment of the other commands, which keeps its own", () => {
    const values = JSON.stringify({ MESH_DOMAIN: "mesh.example.org", PATH: "/elsewhere", COUNT: 5 });
    const environment = { CI: "true", PATH: "/bin", GATEHOUSE_VARIABLES: values };
    expect(commandEnvironment(environment)).toEqual({ ...environment, MESH_DOMAIN: "mesh.example.org" });
    expect(commandEnvironment({ PATH: "/bin" })).toEqual({ PATH: "/bin" });
    expect(commandEnvironment({ GATEHOUSE_VARIABLES: "" })).toEqual({ GATEHOUSE_VARIABLES: "" });
    expect(() => commandEnvironment({ GATEHOUSE_VARIABLES: "canary-7f3a9c" })).toThrow(
      new UserError("GATEHOUSE_VARIABLES is not valid JSON", "in a GitHub workflow, set it to ${{ toJSON(vars) }}"),
    );
  });

  test("names what a deployment refuses to rename, also without another statement", () => {
    const database = { password: "${DB}", user: "sso" };
    const identity_provider = { ...sections.identity_provider, database };
    const [renamed] = compareVersions(versionOf({}), versionOf({ identity_provider }), shell);
    const message =
      'identity_provider.database.user: is "sso", and the stack is deployed with "authentik". Keep "authentik" (docs/deploy.md, Names).';
    expect([renamed?.refused, renamed?.changes]).toEqual([[message], []]);
    expect(describeRefused(renamed?.refused ?? [], painter(false))).toEqual([
      `Refused by npx gatehouse deploy\n  ✖ ${message}`,
    ]);
    expect(comment(renamed ? [renamed] : [])).toContain(`\n**Refused by npx gatehouse deploy**\n\n- \`${message}\`\n`);
    expect(compareVersions(versionOf({}), versionOf({}), shell)[0]?.refused).toEqual([]);
  });

  test("reports the problems of an invalid head; compares with an empty stack if the base is invalid", () => {
    const wrong = versionOf({ protected_services: [proxy({ domains: ["mars"] })] });
    const right = versionOf({});
    const [head] = compareVersions(right, wrong, shell);
    const [base] = compareVersions(wrong, right, shell);
    expect(head?.changes).toEqual([]);
    expect(head?.problems).toContain('Pulumi.dev.yaml: 1 problem\n  protected_services[0].domains[0] "wiki": ');
    expect(base?.baseProblems).toContain("Pulumi.dev.yaml: 1 problem\n");
    expect(new Set(base?.changes.map(({ change }) => change))).toEqual(new Set(["added"]));
    expect(comment(head ? [head] : [])).toContain(
      "The configuration is not valid:\n\n```text\nPulumi.dev.yaml: 1 problem",
    );
  });
});
