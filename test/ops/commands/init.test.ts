import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { packageFolder } from "../../../config/files/folders.ts";
import { main } from "../../../ops/commands/init.ts";
import { main as plan } from "../../../ops/commands/plan.ts";
import type { Shell } from "../../../ops/commands/shell.ts";
import { SHELL } from "../../helpers/shell.ts";

let folder: string;
let out: string;
let error: string;
let questions: string[];

beforeEach(() => {
  [folder, out, error, questions] = [mkdtempSync(join(tmpdir(), "gatehouse-init-")), "", "", []];
});
afterEach(() => rmSync(folder, { recursive: true }));

const shell = (changes: Partial<Shell> = {}): Shell => ({
  ...SHELL,
  folder,
  project: folder,
  environment: { KUBECONFIG: join(folder, "kubeconfig") },
  out: (text) => void (out += text),
  error: (text) => void (error += text),
  ...changes,
});
const answering = (...answers: string[]): Partial<Shell> => ({
  ask: (question) => {
    questions.push(question);
    return Promise.resolve(answers.shift() ?? "");
  },
});
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

const PROJECT = [".gitignore", "Pulumi.k3s.yaml", "Pulumi.yaml", "index.ts", "package.json"];

test("writes a project from options, whose plan is valid", async () => {
  expect(await main(["--context", "k3s", "--domain", "localhost", "example.org", "--data-api"], shell())).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(PROJECT);
  expect(out).toBe(`Wrote Pulumi.yaml, index.ts, package.json, .gitignore, Pulumi.k3s.yaml.

Next, line by line (read waits for a new passphrase, which it does not show; not with Pulumi Cloud):
  npm pack --silent ${packageFolder()}
  npm install gatehouse-*.tgz
  npx gatehouse plan k3s
  read -rs PULUMI_CONFIG_PASSPHRASE; export PULUMI_CONFIG_PASSPHRASE
  pulumi stack init k3s
  openssl rand -hex 32 | pulumi config set --secret variables:AUTHENTIK_TOKEN --stack k3s
  openssl rand -hex 32 | pulumi config set --secret variables:AUTHENTIK_ADMIN_PASSWORD --stack k3s
  openssl rand -hex 32 | pulumi config set --secret variables:AUTHENTIK_SECRET_KEY --stack k3s
  openssl rand -hex 32 | pulumi config set --secret variables:AUTHENTIK_DATABASE_PASSWORD --stack k3s
  openssl rand -hex 32 | pulumi config set --secret variables:POSTGRES_PASSWORD --stack k3s
  openssl rand -hex 32 | pulumi config set --secret variables:DATA_AUTHENTICATOR_PASSWORD --stack k3s
  openssl rand -hex 32 | pulumi config set --secret variables:DATA_OWNER_PASSWORD --stack k3s
  npx gatehouse doctor k3s
  npx gatehouse deploy k3s
`);
  // In the npm registry, the name of the package belongs to another project.
  expect(read("package.json")).not.toContain("gatehouse");
  out = "";
  expect(await plan(["k3s"], shell())).toBe(0);
  expect(out).toContain("https://whoami.example.org");
});

test("asks four questions on a terminal, with the current context as default", async () => {
  write("kubeconfig", "current-context: rancher-desktop\n");
  expect(await main([], shell(answering("", "", "https://login.example.org", "yes")))).toBe(0);
  expect(questions).toEqual([
    "Context of the cluster in the kubeconfig [rancher-desktop]: ",
    "Base domains of your services, e.g. localhost apps.example.org [localhost]: ",
    "authentik: install, or the URL of an existing one [install]: ",
    "Open a database as a public read-only API? yes or no [no]: ",
  ]);
  const text = read("Pulumi.rancher-desktop.yaml");
  expect(text).toContain("url: https://login.example.org\n");
  expect(text).toContain("gatehouse:data_api:\n");
  // The token of an existing server is not generated.
  expect(out).toContain("\n  pulumi config set --secret variables:AUTHENTIK_TOKEN");
});

test("asks only what no option answers, and again without an answer", async () => {
  const options = ["--domain", "localhost", "--authentik", "install", "--no-data-api"];
  expect(await main(options, shell(answering("", "k3s")))).toBe(0);
  const question = "Context of the cluster in the kubeconfig: ";
  expect([questions, error]).toEqual([[question, question], "There is no default.\n"]);
});

test("asks again for an answer that is neither yes nor no, and refuses an empty list of domains", async () => {
  const options = ["--context", "k3s", "--domain", "localhost", "--authentik", "Install"];
  expect(await main(options, shell(answering("yes please", "y")))).toBe(0);
  expect(error).toBe("Answer yes or no.\n");
  expect(read("Pulumi.k3s.yaml")).toContain("gatehouse:data_api:\n");
  expect(read("Pulumi.k3s.yaml")).toContain("admin_password");
  error = "";
  expect(await main(["--context", "k4s", "--domain", ""], shell())).toBe(2);
  expect(error).toBe("no base domain. Name one, e.g. --domain localhost.\n");
});

test("writes where to set the address of Postgres for a domain other than localhost", async () => {
  await main(["--context", "k3s"], shell());
  await main(["--context", "vps", "--domain", "example.org"], shell());
  expect(read("Pulumi.k3s.yaml")).toContain("    install: { kind: statefulset }\n");
  expect(read("Pulumi.vps.yaml")).toContain(
    "    install: { kind: statefulset } # on another machine, add here host: ADDRESS",
  );
});

test("requires the context without a terminal", async () => {
  expect(await main([], shell())).toBe(2);
  expect(error).toContain("npx gatehouse init --context NAME");
});

test("adds a stack to a project, and keeps its files", async () => {
  await main(["--context", "k3s"], shell());
  const before = ["Pulumi.yaml", "index.ts", "package.json", ".gitignore"].map(read);
  out = "";
  expect(await main(["--context", "production", "--domain", "example.org"], shell())).toBe(0);
  expect(out).toMatch(/^Wrote Pulumi\.production\.yaml\.\n/);
  expect(["Pulumi.yaml", "index.ts", "package.json", ".gitignore"].map(read)).toEqual(before);
});

test("adds a stack file to the project that a folder is in, and ignores another project", async () => {
  await main(["--context", "k3s"], shell());
  const below = join(folder, "charts", "wiki");
  mkdirSync(below, { recursive: true });
  out = "";
  expect(await main(["--context", "production"], shell({ folder: below }))).toBe(0);
  expect([out.split("\n")[0], readdirSync(below)]).toEqual([`Wrote Pulumi.production.yaml in ${folder}.`, []]);
  write("Pulumi.yaml", "name: shop\n");
  expect(await main(["--context", "k3s"], shell({ folder: below }))).toBe(0);
  expect(readdirSync(below).sort()).toEqual(PROJECT);
});

test("completes the package.json of npm install and an existing .gitignore", async () => {
  write("package.json", '{ "dependencies": { "gatehouse": "file:gatehouse.tgz", "yaml": "2.9.1" } }');
  write(".gitignore", "*.log\nnode_modules/");
  await main(["--context", "k3s"], shell());
  expect(JSON.parse(read("package.json"))).toEqual({
    type: "module",
    main: "index.ts",
    dependencies: { gatehouse: "file:gatehouse.tgz", yaml: "2.9.1" },
  });
  expect(out).toContain("\n  npm install\n");
  expect(read(".gitignore")).toBe("*.log\nnode_modules/\n.gatehouse/\ncreations-*.jsonl\n");
});

test.each([
  ["a stack file", { "Pulumi.k3s.yaml": "config: {}\n" }, "Pulumi.k3s.yaml exists already."],
  ["another Pulumi project", { "Pulumi.yaml": "name: shop\n" }, "Pulumi.yaml is of the project shop"],
  [
    "a program elsewhere",
    { "package.json": '{"main":"src/main.js"}' },
    "package.json has type module and main src/main.js",
  ],
])("writes nothing next to %s", async (_, files, message) => {
  for (const [name, text] of Object.entries(files)) write(name, text);
  expect(await main(["--context", "k3s"], shell())).toBe(2);
  expect(error).toContain(message);
  expect(readdirSync(folder)).toEqual(Object.keys(files));
});

test.each([
  ["kubernetes:context", "  kubernetes:context: k3s\n"],
  ["gatehouse:cluster.contexts", "  kubernetes:context: default\n  gatehouse:cluster: { contexts: [k3s] }\n"],
])("writes no second stack for a context that is the %s of another", async (_, config) => {
  write("Pulumi.first.yaml", `config:\n${config}`);
  write("Pulumi.other.yaml", "config:\n  kubernetes:context: other\n");
  expect(await main(["--context", "k3s", "--stack", "second"], shell())).toBe(2);
  expect(error).toBe(
    'context "k3s" is in Pulumi.first.yaml, and a cluster has one stack. Edit that file, or, for another cluster, give its context another name: ' +
      "kubectl config rename-context k3s NAME.\n",
  );
  expect(readdirSync(folder).sort()).toEqual(["Pulumi.first.yaml", "Pulumi.other.yaml"]);
});

test.each([
  [["--domain", "Example.org"], "domains.external.base_domain"],
  [["--authentik", "login.example.org"], "identity_provider.url"],
])("writes nothing for %j, and prints the problem", async (options, location) => {
  expect(await main(["--context", "k3s", ...options], shell())).toBe(2);
  expect(error).toContain(location);
  expect(readdirSync(folder)).toEqual([]);
});

test("writes nothing if one file cannot be written, and quotes no file that it cannot parse", async () => {
  mkdirSync(join(folder, "index.ts.new"));
  expect(await main(["--context", "k3s"], shell())).toBe(2);
  expect(error).toMatch(/^nothing was written to .*: EEXIST/);
  expect(readdirSync(folder)).toEqual(["index.ts.new"]);
  rmSync(join(folder, "index.ts.new"), { recursive: true });
  error = "";
  write("package.json", '{ "scripts": { "x": "curl -u user:canary" ');
  expect(await main(["--context", "k3s"], shell())).toBe(2);
  expect(error).toBe("package.json cannot be parsed. Correct it, or run gatehouse init in a separate folder.\n");
});

test("writes nothing after Ctrl-C or Ctrl-D at a question", async () => {
  expect(await main([], shell({ ask: () => Promise.resolve(undefined) }))).toBe(2);
  expect([error, readdirSync(folder)]).toEqual(["no answer: nothing was written\n", []]);
});

test.each(["a b", "a'b", "../x"])("refuses the name of a stack %s", async (name) => {
  expect(await main(["--context", "k3s", "--stack", name], shell())).toBe(2);
  expect([error, readdirSync(folder)]).toEqual([
    `"${name}" is not a valid stack name. Use letters, digits, -, _ and . only: --stack NAME.\n`,
    [],
  ]);
});
