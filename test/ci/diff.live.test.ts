/** `npx gatehouse diff` with the revisions and files of a clone. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { UserError } from "../../config/errors/userError.ts";
import { revision } from "../../ops/checks/diff/versions.ts";
import { main as diff } from "../../ops/commands/diff.ts";
import { SHELL } from "../helpers/shell.ts";
import { cloneProject, openHealth } from "./clone.ts";

const clone = cloneProject();
const base = clone.git("rev-parse", "HEAD").trim();
const opening = openHealth(clone);
afterAll(() => rmSync(clone.folder, { recursive: true }));

const run = async (...args: string[]) => {
  const output = { out: "", error: "" };
  const code = await diff(args, {
    ...SHELL,
    project: clone.folder,
    folder: clone.folder,
    out: (text) => (output.out += text),
    error: (text) => (output.error += text),
  });
  return { code, ...output };
};

test("compares a revision with the working tree, another revision, or a file", async () => {
  const first = await run(base, "--stack", "dev", "--head", "main");
  expect([first.code, first.error]).toEqual([0, ""]);
  expect(first.out).toContain("Less access\n  - http://reports.localhost\n");
  expect((await run(base, "--stack", "local", "--head", opening)).code).toBe(1);
  expect((await run(base, "--stack", "local", "--head", opening, "--allow-public")).code).toBe(0);
  expect((await run("Pulumi.dev.yaml")).out).toBe("Stack dev\n\nNo access changes.\n");
  expect((await run("Pulumi.local.yaml", "--stack", "dev")).code).toBe(1);
  const { stacks } = JSON.parse((await run(base, "--json")).out) as { stacks: { stack: string }[] };
  expect(stacks.map(({ stack }) => stack)).toEqual(["dev", "local"]);
  const { out } = await run("--stack", "local", "--stack", "dev", base);
  expect(out.match(/^Stack .*/gm)).toEqual(["Stack local", "Stack dev"]);
});

test("reads a revision, also if a file of the pull request has its name", async () => {
  clone.git("checkout", "--quiet", "--detach", opening);
  const opened = readFileSync(join(clone.folder, "Pulumi.local.yaml"), "utf8");
  const names = ["HEAD^1", "main", "copy.yaml"].map((name) => join(clone.folder, name));
  for (const file of names) writeFileSync(file, opened);
  clone.git("tag", "copy.yaml", "HEAD^1");
  onTestFinished(() => {
    for (const file of names) rmSync(file);
    clone.git("tag", "--delete", "copy.yaml");
    clone.git("checkout", "--quiet", "main");
  });
  for (const name of ["HEAD^1", "main"]) {
    const { code, out } = await run(name, "--stack", "local");
    expect([code, out.includes("open to everyone, without a session: /healthz") || out]).toEqual([1, true]);
  }
  expect(await run("copy.yaml", "--stack", "local")).toEqual({
    code: 2,
    out: "",
    error:
      '"copy.yaml" is both a revision of git and a file. For the revision, pass its commit (git rev-parse copy.yaml); ' +
      "for the file, pass ./copy.yaml.\n",
  });
  expect((await run("./copy.yaml", "--stack", "local")).code).toBe(0);
});

test.each([
  ["the project file", "Pulumi.yaml", () => "project.yaml", ["dev", "local"]],
  ["a stack file", "Pulumi.local.yaml", (text: string) => text.trimEnd(), ["local"]],
])(
  "refuses a revision whose symbolic link replaces %s, because git stores its target",
  async (_, file, target, stacks) => {
    const text = readFileSync(join(clone.folder, file), "utf8");
    clone.git("checkout", "--quiet", "-b", "link");
    rmSync(join(clone.folder, file));
    writeFileSync(join(clone.folder, "target"), target(text));
    const blob = clone.git("hash-object", "-w", "target").trim();
    clone.git("update-index", "--cacheinfo", `120000,${blob},${file}`);
    clone.git("commit", "--quiet", "--message", "Link");
    onTestFinished(() => {
      rmSync(join(clone.folder, "target"));
      clone.git("checkout", "--quiet", "--force", "main");
      clone.git("branch", "--quiet", "--delete", "--force", "link");
    });
    const { code, out } = await run("main", "--head", "link");
    const problem = `${file}: is a symbolic link, so git contains its target instead of the configuration. Commit the file itself.`;
    expect([code, out.split(problem).length - 1]).toEqual([2, stacks.length]);
  },
);

describe("a project file and a stack file in another folder", () => {
  const PROJECT = "name: gatehouse\nruntime: nodejs\n";
  const files = { "sub/Pulumi.yaml": PROJECT, "sub/Pulumi.local.yaml": "config: {}\n" };
  const problem =
    "sub/Pulumi.local.yaml: is a file of this stack in another folder, which the base does not have there: a deployment from that folder changes the " +
    "same state, and the access diff does not contain it. Keep the stack file where the base has it.";

  /** Commits files on a branch of that name, and removes what is left of them after the test. */
  function commitFiles(branch: string, added: Readonly<Record<string, string>>): void {
    clone.git("checkout", "--quiet", "-b", branch);
    mkdirSync(join(clone.folder, "sub"));
    for (const [name, text] of Object.entries(added)) writeFileSync(join(clone.folder, name), text);
    clone.git("add", "sub");
    clone.git("commit", "--quiet", "--message", "Move");
    onTestFinished(() => {
      clone.git("checkout", "--quiet", "--force", "main");
      clone.git("branch", "--quiet", "--delete", "--force", branch);
      rmSync(join(clone.folder, "sub"), { recursive: true, force: true });
    });
  }

  test("are refused, in a revision and in the working tree", async () => {
    commitFiles("moved", files);
    clone.git("rm", "--quiet", "Pulumi.local.yaml");
    clone.git("commit", "--quiet", "--amend", "--no-edit");
    for (const head of [["--head", "moved"], []]) {
      const { code, out } = await run("main", ...head);
      expect([code, out]).toEqual([
        2,
        `Stack dev\n\nNo access changes.\n\nStack local\n\nsub/Pulumi.local.yaml: 1 problem\n  ${problem}\n`,
      ]);
    }
  });

  test("are refused when the project file gets the name of Gatehouse", async () => {
    commitFiles("shop", { ...files, "sub/Pulumi.yaml": "name: shop\n" });
    expect((await run("main", "--head", "shop")).code).toBe(0);
    const renamed = clone.commit("sub/Pulumi.yaml", () => PROJECT);
    expect((await run("shop~1", "--head", renamed)).out).toContain(problem);
  });

  test.each([
    ["of another stack", { "sub/Pulumi.yaml": PROJECT, "sub/Pulumi.moon.yaml": "config: {}\n" }],
    ["without a project file", { "sub/Pulumi.local.yaml": "config: {}\n" }],
  ])("are accepted %s", async (_, added) => {
    commitFiles("accepted", added);
    expect(await run("main", "--head", "accepted")).toMatchObject({ code: 0, error: "" });
  });

  test("are accepted where the base has them", async () => {
    commitFiles("present", files);
    const later = clone.commit("sub/Pulumi.local.yaml", () => "config: { a: b }\n");
    expect(await run("present~1", "--head", later)).toMatchObject({ code: 0, error: "" });
  });
});

test("prints the problems of an invalid new version and exits with 2", async () => {
  const file = join(clone.folder, "Pulumi.dev.yaml");
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("type: proxy", "type: proxi"));
  const { code, out } = await run("HEAD");
  writeFileSync(file, text);
  expect(code).toBe(2);
  expect(out).toContain('Did you mean "proxy"?');
  expect(out).toContain("Stack local\n\nNo access changes.\n");
});

test("prints how git reads the repository of another user, also for a project in a folder of it", () => {
  const project = join(clone.folder, "project");
  mkdirSync(project);
  onTestFinished(() => rmSync(project, { recursive: true }));
  vi.stubEnv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(() => revision(project, "HEAD")).toThrow(
    new UserError(
      `git does not read ${project}: the repository belongs to another user`,
      `run: git config --global --add safe.directory ${clone.folder}`,
    ),
  );
});

test("rejects a folder outside of a git repository", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-folder-"));
  expect(() => revision(folder, "main")).toThrow(
    `no git repository contains ${folder}; create one with git init, and commit the stack files`,
  );
  rmSync(folder, { recursive: true });
});

test("exits with 2 for unknown revisions and stacks, and for invalid options", async () => {
  expect(await run("nowhere")).toEqual({
    code: 2,
    out: "",
    error:
      '"nowhere" is neither a revision of git nor a file that ends in .yaml or .yml; name one, e.g. main, HEAD~1 or origin/main\n',
  });
  expect((await run("HEAD", "--stack", "moon")).error).toBe(
    "no version has a file for moon. Name one of dev, local.\n",
  );
  expect((await run("HEAD", "--json", "--markdown")).error).toBe(
    "--markdown and --json exclude each other. Leave one out.\n",
  );
  expect((await run()).code).toBe(2);
  expect((await run("--output=x")).code).toBe(2);
});
