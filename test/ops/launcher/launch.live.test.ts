import { execFile } from "node:child_process";
import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LaunchError } from "../../../ops/launcher/child.js";
import {
  exclusively,
  fingerprint,
  incompleteness,
  install,
  installProblem,
  isInstalled,
  summaryOf,
} from "../../../ops/launcher/install.js";
import { isNewEnough } from "../../../ops/launcher/nodeVersion.js";

let project: string;

beforeEach(async () => {
  project = await mkdtemp(path.join(tmpdir(), "gatehouse-launch-"));
});

afterEach(() => rm(project, { recursive: true, force: true }));

async function put(file: string, content: string): Promise<void> {
  await mkdir(path.dirname(path.join(project, file)), { recursive: true });
  await writeFile(path.join(project, file), content);
}

test.each([
  ["20.20.2", false],
  ["22.23.3", false],
  ["24.18.0", false],
  ["24.19.0", true],
  ["24.21.0", true],
  ["25.9.0", false],
  ["26.3.1", false],
  ["26.10.0", true],
  ["28.0.0", true],
])("decides whether Node.js %s is new enough: %s", (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});

describe("packages", () => {
  beforeEach(async () => {
    await put("package-lock.json", "{}");
    await put("sdks/authentik/index.ts", "export {};");
    await put("sdks/authentik/config/vars.ts", "export {};");
    await put("sdks/authentik/bin/index.js", "");
    await put("node_modules/node/bin/node", "");
    await put("node_modules/.gatehouse-lock", fingerprint(project));
  });

  test("are installed if the stamp matches, whatever the install scripts created", async () => {
    expect(isInstalled(project)).toBe(true);
    await put("sdks/authentik/bin/index.js", "compiled anew");
    await put("sdks/authentik/node_modules/x/index.js", "");
    expect(isInstalled(project)).toBe(true);
  });

  test.each(["package-lock.json", "sdks/authentik/index.ts", "sdks/authentik/config/vars.ts", "sdks/authentik/new.ts"])(
    "are not when %s changed",
    async (file) => {
      await put(file, "changed");
      expect(isInstalled(project)).toBe(false);
    },
  );

  test.each(["node_modules/.gatehouse-lock", "sdks/authentik/bin/index.js"])(
    "are not when %s is missing",
    async (file) => {
      await rm(path.join(project, file));
      expect(isInstalled(project)).toBe(false);
    },
  );
});

test("are installed without the secrets of the shell, and with what npm needs", async () => {
  await put("package-lock.json", "{}");
  await put("sdks/authentik/index.ts", "export {};");
  await put("node_modules/node/bin/node", "");
  const npm = `
    const { mkdirSync, writeFileSync } = require("node:fs");
    mkdirSync("sdks/authentik/bin");
    writeFileSync("sdks/authentik/bin/index.js", "");
    writeFileSync("environment.json", JSON.stringify(process.env));`;
  await put("npm-cli.js", npm);
  const needed = {
    HOME: project,
    PATH: process.env["PATH"],
    TMPDIR: project,
    LANG: "C",
    CI: "true",
    https_proxy: "http://proxy.example.org",
    NO_PROXY: "localhost",
    NODE_EXTRA_CA_CERTS: "/ca.pem",
    npm_config_registry: "https://npm.example.org",
    NPM_CONFIG_CACHE: "/cache",
    NODE_AUTH_TOKEN: "of-the-registry",
  };
  const secrets = {
    PULUMI_CONFIG_PASSPHRASE: "x",
    PULUMI_BACKEND_URL: "x",
    KUBECONFIG: "x",
    KUBECONFIG_TEXT: "x",
    GH_TOKEN: "x",
    AWS_SECRET_ACCESS_KEY: "x",
    GITHUB_ENV: "x",
    GATEHOUSE_VARIABLES: "x",
    POSTGRES_PASSWORD: "x",
  };
  const program = `import { install } from ${JSON.stringify(path.resolve("ops/launcher/install.js"))}; await install(${JSON.stringify(project)});`;
  await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...needed, ...secrets, npm_execpath: path.join(project, "npm-cli.js") },
  });
  expect(JSON.parse(readFileSync(path.join(project, "environment.json"), "utf8"))).toEqual(needed);
  expect(isInstalled(project)).toBe(true);
});

test("prints one sentence when the checkout is not writable", async () => {
  await put("package-lock.json", "{}");
  await put("sdks/authentik/index.ts", "export {};");
  // Also for root.
  await symlink("/sys", path.join(project, ".gatehouse"));
  const error: unknown = await install(project).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(LaunchError);
  expect((error as LaunchError).message).toMatch(
    /^The packages cannot be installed, because \S+ cannot be written \((EACCES|EPERM|EROFS)\)\. Run the command as the user who owns it, or clone the repository into a folder that you can write to\.$/,
  );
});

test.each(["EACCES", "EPERM", "EROFS"])("names a checkout that cannot be written (%s)", (code) => {
  expect(installProblem("/checkout", code)).toBe(
    `The packages cannot be installed, because /checkout cannot be written (${code}). ` +
      "Run the command as the user who owns it, or clone the repository into a folder that you can write to.",
  );
});

test("names a full disk, and leaves other errors as they are", () => {
  expect(installProblem("/checkout", "ENOSPC")).toBe(
    "The packages cannot be installed, because the disk of /checkout is full (ENOSPC). Free disk space, then run the same command again.",
  );
  expect(installProblem("/checkout", "ENOTDIR")).toBeUndefined();
});

describe("a Node.js of the packages", () => {
  beforeEach(async () => {
    await put("package-lock.json", "{}");
    await put("sdks/authentik/bin/index.js", "");
    await put("node_modules/.gatehouse-lock", fingerprint(project));
  });

  test("is needed only when the one on PATH is not supported", () => {
    expect([isInstalled(project, "24.21.0"), isInstalled(project, "22.23.3")]).toEqual([true, false]);
  });

  test("may be missing where npm has none, which names the versions to install", () => {
    expect(incompleteness("node_modules/node/bin/node", "22.23.3", "darwin-arm64")).toBe(
      "Gatehouse requires Node.js 24.19 or newer of 24, or 26.10 or newer, and this is 22.23.3. npm could not install a newer one for " +
        "darwin-arm64. Install it (https://nodejs.org), then run the same command again.",
    );
    expect(incompleteness("sdks/authentik/bin/index.js", "24.21.0", "darwin-arm64")).toBe(
      "npm ci did not create sdks/authentik/bin/index.js, which an install script creates. Install scripts seem to be disabled: " +
        "run `npm config set ignore-scripts false`, then the same command again.",
    );
  });
});

describe("the install lock", () => {
  const unexpected = (owner: number) => {
    throw new Error(`waited for ${owner}`);
  };

  test("contains its owner, and is removed afterwards, also after a failure", async () => {
    const lock = path.join(project, ".gatehouse", "install.lock");
    const work = () => {
      expect(readlinkSync(lock)).toBe(String(process.pid));
      return Promise.reject(new Error("broken"));
    };
    await expect(exclusively(lock, unexpected, work)).rejects.toThrow(new Error("broken"));
    expect(existsSync(lock)).toBe(false);
  });

  test("is taken over from a process that has ended", async () => {
    const lock = path.join(project, "install.lock");
    await symlink("4194999", lock); // above the highest process number of Linux
    const owners: string[] = [];
    await exclusively(lock, unexpected, async () => void owners.push(await Promise.resolve(readlinkSync(lock))));
    expect(owners).toEqual([String(process.pid)]);
  });

  test("is not released by a process whose lock another one took over", async () => {
    const lock = path.join(project, "install.lock");
    const takeOver = () => rm(lock).then(() => symlink(String(process.ppid), lock));
    await exclusively(lock, unexpected, takeOver);
    expect(readlinkSync(lock)).toBe(String(process.ppid));
  });

  test("is waited for while its process runs, with one message", async () => {
    const lock = path.join(project, "install.lock");
    await symlink(String(process.ppid), lock);
    const reported: number[] = [];
    const order: string[] = [];
    const waiting = (owner: number) => {
      reported.push(owner);
      setTimeout(() => void rm(lock).then(() => order.push("released")), 400);
    };
    await exclusively(lock, waiting, () => Promise.resolve(void order.push("ran")));
    expect(reported).toEqual([process.ppid]);
    expect(order).toEqual(["released", "ran"]);
  });
});

describe("the reported output of npm", () => {
  test("contains its errors, without warnings and usage", () => {
    const output = "npm warn old\nnpm error code EUSAGE\nnpm error Missing: x\nnpm error Usage:\nnpm error npm ci\n";
    expect(summaryOf(output)).toBe("npm error code EUSAGE\nnpm error Missing: x");
  });

  test("contains its last lines if it has no error", () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`);
    expect(summaryOf(`${lines.join("\n")}\n`)).toBe(lines.slice(-30).join("\n"));
  });
});
