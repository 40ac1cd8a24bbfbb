import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeExecutable } from "../../helpers/executable.ts";
import type { ContainerRequest } from "../../../local/agent/command.ts";
import { commandFor } from "../../../local/agent/images.ts";
import { findAuthentik } from "../../../local/platform/authentik.ts";

const SERVER = "ghcr.io/goauthentik/server:2026.5.7";
const PROXY = "ghcr.io/goauthentik/proxy:2026.5.7";

let folder: string;
/** A script in the place of a real authentik: its only blueprint is not one of authentik. */
let authentik: string;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "gatehouse-images-")));
  authentik = join(folder, "ak");
  const shipped = join(folder, "shipped");
  await mkdir(join(shipped, "default"), { recursive: true });
  await writeFile(join(shipped, "default", "flow.yaml"), "version: 1");
  writeExecutable(authentik, `#!/bin/sh\n[ "$*" = "dump_config blueprints_dir" ] && echo "${shipped}"\n`);
  await mkdir(join(folder, "mounted"));
  await writeFile(join(folder, "mounted", "settings.yaml"), "version: 1 # of the stack");
});
afterAll(() => rm(folder, { recursive: true }));

const request = (fields: Partial<ContainerRequest> = {}): ContainerRequest => ({
  command: [],
  args: [],
  ip: "127.96.0.7",
  folder,
  authentik: undefined,
  mounts: new Map([["/blueprints/gatehouse", join(folder, "mounted")]]),
  ...fields,
});
const LISTEN = {
  AUTHENTIK_LISTEN__HTTP: "127.96.0.7:9000",
  AUTHENTIK_LISTEN__HTTPS: "127.96.0.7:9443",
  AUTHENTIK_LISTEN__METRICS: "127.96.0.7:9300",
};

describe("the command of authentik's images, with a real authentik", () => {
  test("is its executable with the role, on the address of the Pod", async () => {
    expect(await commandFor(SERVER, request({ authentik, args: ["server"] }))).toEqual({
      file: authentik,
      args: ["server"],
      env: {
        ...LISTEN,
        AUTHENTIK_STORAGE__FILE__PATH: folder,
      },
    });
    expect(await commandFor(PROXY, request({ authentik, mounts: new Map() }))).toEqual({
      file: authentik,
      args: ["proxy"],
      env: {
        ...LISTEN,
        AUTHENTIK_STORAGE__FILE__PATH: folder,
      },
    });
  });

  test("is the subcommand of an exec probe, whose first word is the image's ak", async () => {
    const { file, args } = await commandFor(SERVER, request({ authentik, command: ["ak", "healthcheck"] }));
    expect([file, args]).toEqual([authentik, ["healthcheck"]]);
  });

  test("gives the worker its own blueprints together with the mounted ones", async () => {
    const { env } = await commandFor(SERVER, request({ authentik, args: ["worker"] }));
    const blueprints = env["AUTHENTIK_BLUEPRINTS_DIR"] ?? "";
    expect((await readdir(blueprints, { recursive: true })).sort()).toEqual([
      "default",
      "default/flow.yaml",
      "gatehouse",
      "gatehouse/settings.yaml",
    ]);
    expect(await readFile(join(blueprints, "gatehouse", "settings.yaml"), "utf8")).toContain("of the stack");
  });

  test("gives the worker a path without a hidden folder, which authentik would skip", async () => {
    const hidden = join(folder, ".local", "pod");
    const { env } = await commandFor(SERVER, request({ authentik, args: ["worker"], folder: hidden }));
    const blueprints = env["AUTHENTIK_BLUEPRINTS_DIR"] ?? "";
    expect(blueprints).not.toContain("/.");
    expect(await realpath(blueprints)).toBe(join(hidden, "merged-blueprints"));
    await rm(blueprints);
  });

  test("fails when the executable fails", async () => {
    const broken = join(folder, "broken");
    writeExecutable(broken, "#!/bin/sh\nexit 3\n");
    await expect(commandFor(SERVER, request({ authentik: broken, args: ["worker"] }))).rejects.toThrow("broken");
  });
});

describe("the command of authentik's images, without a real authentik", () => {
  test.each([
    ["main.ts server", SERVER, { args: ["server"] }],
    ["main.ts proxy", PROXY, {}],
    ["healthcheck.ts", SERVER, { command: ["ak", "healthcheck"] }],
  ])("is the emulator's %s", async (command, image, fields) => {
    const { file, args, env } = await commandFor(image, request(fields));
    expect(file).toBe(process.execPath);
    expect(args.join(" ")).toMatch(new RegExp(`/emulators/authentik/${command}$`));
    expect(env).toMatchObject(LISTEN);
  });

  test("gives the worker of the emulator the mounted blueprints", async () => {
    const pod = join(folder, "emulated");
    const { env } = await commandFor(SERVER, request({ args: ["worker"], folder: pod }));
    expect((await readdir(env["AUTHENTIK_BLUEPRINTS_DIR"] ?? "", { recursive: true })).sort()).toEqual([
      "gatehouse",
      "gatehouse/settings.yaml",
    ]);
  });
});

test("sets HOST to the Pod's address for the command of the node image", async () => {
  const command = ["node", "/app/server.mjs"];
  expect(await commandFor("node:24-alpine", request({ command }))).toEqual({
    file: process.execPath,
    args: ["/app/server.mjs"],
    env: { HOST: "127.96.0.7" },
  });
});

test.each([
  ["node:24-alpine", ["/bin/sh", "-c", "true"], 'command: the local platform runs "node" of this image, not "/bin/sh"'],
  [SERVER, ["sh"], 'command: the local platform runs "ak" of this image, not "sh"'],
  [PROXY, ["sh"], 'command: the image has no program "sh"; use its entry point'],
  ["postgrest/postgrest:v14.17", ["sh"], 'command: the image has no program "sh"; use its entry point'],
  ["traefik/whoami:v1.11.0", ["/bin/sh"], 'command: the image has no program "/bin/sh"; use its entry point'],
])("refuses another program of %s than the one that runs here: %j", async (image, command, message) => {
  await expect((async () => commandFor(image, request({ command })))()).rejects.toThrow(message);
});

test("refuses an unknown image with the list of supported ones", async () => {
  await expect(commandFor("example.org/tool:1", request())).rejects.toThrow(
    /^image "example.org\/tool:1" is not supported by the local platform. Supported: ghcr\.io\/goauthentik\/server, /,
  );
});

describe("the executable of a real authentik", () => {
  test("is the one that GATEHOUSE_AUTHENTIK names, else ak on PATH, else none", () => {
    expect(findAuthentik({ GATEHOUSE_AUTHENTIK: authentik, PATH: "/nowhere" })).toBe(authentik);
    expect(findAuthentik({ PATH: `/nowhere:${folder}` })).toBe(authentik);
    expect(findAuthentik({ PATH: "/nowhere" })).toBe(undefined);
  });

  test.each([
    ["a missing file", () => join(folder, "missing")],
    ["a folder", () => join(folder, "shipped")],
    ["a file that is not executable", () => join(folder, "mounted", "settings.yaml")],
    ["a name without a path", () => "ak"],
  ])("is refused when GATEHOUSE_AUTHENTIK is %s", (_, path) => {
    const named = path();
    expect(() => findAuthentik({ GATEHOUSE_AUTHENTIK: named, PATH: folder })).toThrow(
      `GATEHOUSE_AUTHENTIK: ${named} is not an executable file. Set it to the absolute path of one, or unset it.`,
    );
  });
});
