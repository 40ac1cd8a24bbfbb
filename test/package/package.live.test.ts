import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageFolder } from "../../config/files/folders.ts";
import { checkPolicyPack } from "../../ops/engine/policyPack.ts";

const run = promisify(execFile);
/** What is not in the repository of Gatehouse. */
let folder: string;
/** The user's project, with the package installed. */
let project: string;
let packed: readonly { readonly path: string; readonly size: number }[];

/** Installs as npm does: the package's content, and its dependencies next to it, here those of the repository. */
async function install(tarball: string): Promise<void> {
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  await run("tar", ["xzf", tarball, "-C", modules]);
  cpSync(join(modules, "package"), join(modules, "gatehouse"), { recursive: true });
  rmSync(join(modules, "package"), { recursive: true });
  const { dependencies, bin } = JSON.parse(readFileSync(join(modules, "gatehouse/package.json"), "utf8")) as {
    dependencies: Record<string, string>;
    bin: { gatehouse: string };
  };
  for (const name of Object.keys(dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(packageFolder(), "node_modules", name), join(modules, name));
  }
  symlinkSync(join("../gatehouse", bin.gatehouse), join(modules, ".bin/gatehouse"));
}

async function npx(...args: string[]): Promise<string> {
  const { stdout } = await run("npx", ["--no-install", "gatehouse", ...args], {
    cwd: project,
    env: { ...process.env, CI: "" },
  });
  return stdout;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-package-"));
  project = join(folder, "project");
  mkdirSync(project);
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: packageFolder() });
  const report = stdout.slice(stdout.search(/^[[{]\s*$/m));
  const [pack] = Object.values(JSON.parse(report) as Record<string, { filename: string; files: typeof packed }>);
  packed = pack?.files ?? [];
  await install(join(folder, pack?.filename ?? ""));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("contains what the commands read, and nothing of the tests and the local platform", () => {
  const paths = packed.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "dist/catalog/dist/server.mjs",
      "dist/infra/data/sql/000_lock.sql",
      "dist/infra/gatehouse.d.ts",
      "dist/ops/checks/verify/job/dist/verify.mjs.br",
      "dist/policy/PulumiPolicy.yaml",
      "docs/configuration.md",
      "dist/sdks/authentik/bin/index.js",
    ]),
  );
  const places = paths.map((path) =>
    path
      .split("/")
      .slice(0, path.startsWith("dist/") ? 2 : 1)
      .join("/"),
  );
  expect([...new Set(places)].sort()).toEqual([
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Pulumi.dev.yaml",
    "Pulumi.production.yaml",
    "README.md",
    "SECURITY.md",
    // The licence of the map's boundaries.
    "catalog",
    "dist/catalog",
    "dist/config",
    "dist/infra",
    "dist/manifests",
    "dist/ops",
    "dist/package.json",
    "dist/policy",
    "dist/protections",
    "dist/sdks",
    "docs",
    "examples",
    // The main module of the repository, which npm always packs.
    "infra",
    "ops",
    "package.json",
  ]);
  // Verbatim, since a changed byte changes what is deployed.
  for (const file of ["infra/identity/signInPages/server.mjs", "ops/checks/verify/job/start.js"]) {
    const copy = join(project, "node_modules/gatehouse/dist", file);
    expect(readFileSync(copy, "utf8")).toBe(readFileSync(join(packageFolder(), file), "utf8"));
  }
  // Half a megabyte is images of docs/.
  expect(statSync(join(folder, "gatehouse-0.1.0.tgz")).size).toBeLessThan(2_000_000);
});

test("writes a project whose plan is valid with gatehouse init in an empty folder", async () => {
  const written = await npx("init", "--context", "k3s", "--domain", "localhost", "apps.example.org", "--data-api");
  expect(written).toContain("Wrote Pulumi.yaml, index.ts, package.json, .gitignore, Pulumi.k3s.yaml.");
  expect(await npx("--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
  const plan = JSON.parse(await npx("plan", "k3s", "--json")) as { exposures: { url: string }[] };
  expect(plan.exposures.map(({ url }) => url)).toContain("https://whoami.apps.example.org");
  const schema = /\$schema=(\S+)/.exec(readFileSync(join(project, "Pulumi.k3s.yaml"), "utf8"))?.[1] ?? "";
  expect(existsSync(join(project, schema))).toBe(true);
});

test("finds the project from a subfolder, and prints the command init outside of a project", async () => {
  const bin = join(project, "node_modules/.bin/gatehouse");
  mkdirSync(join(project, "notes"));
  const { stdout } = await run(bin, ["plan", "k3s"], { cwd: join(project, "notes") });
  expect(stdout).toMatch(/^Stack k3s\n/);
  await expect(run(bin, ["plan", "k3s"], { cwd: folder })).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^there is no Pulumi\.yaml in .*npx gatehouse init\n$/) as string,
  });
});

test("reads paths relative to the folder that a script of npm changed to", async () => {
  const outer = join(folder, "outer");
  mkdirSync(outer);
  const bin = join(project, "node_modules/.bin/gatehouse");
  const script = `cd ../project && ${bin} plan --file Pulumi.k3s.yaml`;
  writeFileSync(
    join(outer, "package.json"),
    JSON.stringify({ scripts: { other: script, own: `${bin} plan --file k3s.yaml` } }),
  );
  expect((await run("npm", ["run", "--silent", "other"], { cwd: outer })).stdout).toMatch(/^Stack k3s\n/);
  // npm itself changes to the folder of its package.json.
  mkdirSync(join(outer, "stacks"));
  cpSync(join(project, "Pulumi.k3s.yaml"), join(outer, "stacks", "k3s.yaml"));
  const { stdout } = await run("npm", ["run", "--silent", "own"], { cwd: join(outer, "stacks") });
  expect(stdout).toMatch(/^Stack k3s\n/);
});

test.runIf(process.getuid?.() === 0)("plans and compares for a user without a home", async () => {
  chmodSync(folder, 0o755);
  const bin = join(project, "node_modules/.bin/gatehouse");
  const { HOME: _home, GATEHOUSE_DATA: _data, ...env } = process.env;
  const options = { cwd: project, env, uid: 4711, gid: 4711 };
  expect((await run(bin, ["plan", "k3s"], options)).stdout).toMatch(/^Stack k3s\n/);
  expect((await run(bin, ["diff", "Pulumi.k3s.yaml"], options)).stdout).toBe("Stack k3s\n\nNo access changes.\n");
  const bare = { ...env, GATEHOUSE_CACHE: "", PATH: dirname(process.execPath) };
  await expect(run(bin, ["preview", "k3s"], { ...options, env: bare })).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("cache: the cache folder /.cache/gatehouse cannot be created or written") as string,
  });
  const data = join(folder, "another-user");
  mkdirSync(data, { mode: 0o711 });
  writeFileSync(join(data, "context.json"), "{}", { mode: 0o600 });
  const withData = { ...options, env: { ...env, GATEHOUSE_DATA: data } };
  expect((await run(bin, ["plan", "k3s"], withData)).stdout).toMatch(/^Stack k3s\n/);
  await expect(run(bin, ["preview", "k3s"], withData)).rejects.toMatchObject({
    code: 2,
    stderr: `the data folder ${data} belongs to another user. Set GATEHOUSE_DATA to a folder of this user.\n`,
  });
});

test("registers the component and the catalog of the package in the project's program", async () => {
  writeFileSync(
    join(project, "mocks.ts"),
    `import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import program from "./index.ts";
const { config } = parse(readFileSync("Pulumi.k3s.yaml", "utf8"));
const texts = Object.entries(config).map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]);
pulumi.runtime.setAllConfig(Object.fromEntries(texts));
const types = new Set<string>();
const mocks = {
  newResource: ({ type, name, inputs }: pulumi.runtime.MockResourceArgs) => (types.add(type), { id: name, state: inputs }),
  call: ({ inputs }: pulumi.runtime.MockCallArgs) => ({ id: "1", ids: inputs.managedLists ?? [] }),
};
await pulumi.runtime.setMocks(mocks, "gatehouse", "k3s", true);
await pulumi.runtime.runInPulumiStack(async () => program());
await pulumi.runtime.disconnect();
console.log(JSON.stringify([...types]));
`,
  );
  const secrets = [
    "AUTHENTIK_TOKEN",
    "AUTHENTIK_ADMIN_PASSWORD",
    "AUTHENTIK_SECRET_KEY",
    "AUTHENTIK_DATABASE_PASSWORD",
  ];
  const others = ["POSTGRES_PASSWORD", "DATA_AUTHENTICATOR_PASSWORD", "DATA_OWNER_PASSWORD"];
  const env = { ...process.env, ...Object.fromEntries([...secrets, ...others].map((name) => [name, "x"])) };
  const { stdout } = await run(process.execPath, ["mocks.ts"], { cwd: project, env });
  expect(JSON.parse(stdout)).toEqual(
    expect.arrayContaining([
      "gatehouse:index:Gatehouse",
      "gatehouse:data:Catalog",
      "authentik:index/providerProxy:ProviderProxy",
    ]),
  );
});

test("type-checks a program that uses the package", async () => {
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", "index.ts"];
  const tsc = join(packageFolder(), "node_modules/@typescript/native/bin/tsc");
  await expect(run(process.execPath, [tsc, ...options], { cwd: project })).resolves.toMatchObject({ stdout: "" });
  writeFileSync(join(project, "wrong.ts"), 'import { Gatehouse } from "gatehouse";\nnew Gatehouse(1).jwks;\n');
  await expect(
    run(process.execPath, [tsc, ...options.slice(0, -1), "wrong.ts"], { cwd: project }),
  ).rejects.toMatchObject({
    stdout: expect.stringContaining("'number' is not assignable to parameter of type 'string'") as string,
  });
});

test("starts the policy pack of the package", async () => {
  await checkPolicyPack(process.env, join(project, "node_modules/gatehouse/dist"));
});
