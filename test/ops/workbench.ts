import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { writeExecutable } from "../helpers/executable.ts";
import { brotliCompressSync } from "node:zlib";
import type { Progress } from "../../ops/terminal/progress.ts";
import { obtainTools } from "../../ops/toolchain/toolchain.ts";
import type { Machine, Tool } from "../../ops/toolchain/tools.ts";

/** A program that prints its version, as a script. */
export const program = (version: string) => `#!/bin/sh\necho "probe version: v${version}"\n`;
export const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

/** A separate machine for each test: empty folders, a publisher's server on loopback, and a record of what was reported and asked. */
export class Workbench {
  folder = "";
  address = "";
  machine: Machine = { platform: "linux-x64", cache: "", mirror: undefined, path: "" };
  readonly served = new Map<string, Buffer | string>();
  readonly requests: string[] = [];
  readonly notes: string[] = [];
  readonly steps: string[] = [];
  readonly server: Server = createServer((request, response) => this.#answer(request, response));
  readonly progress: Progress = {
    step: (title, work) => {
      this.steps.push(title);
      return work(() => undefined);
    },
    note: (line) => void this.notes.push(line),
  };

  async start(): Promise<void> {
    this.folder = await mkdtemp(path.join(tmpdir(), "gatehouse-toolchain-"));
    const [cache = "", mirror = "", bin = ""] = ["cache", "mirror", "bin"].map((name) => path.join(this.folder, name));
    await Promise.all([mkdir(mirror), mkdir(bin)]);
    this.machine = { ...this.machine, cache, mirror, path: bin };
    await once(this.server.listen(0, "127.0.0.1"), "listening");
    this.address = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  withoutMirror(): void {
    this.machine = { ...this.machine, mirror: undefined };
  }

  probe(changes: Partial<Tool> = {}): Tool {
    return {
      name: "probe",
      version: "1.2.3",
      sha256: sha256(program("1.2.3")),
      versionArgument: "--version",
      download: { url: `${this.address}/probe`, sums: `${this.address}/probe.sha256` },
      build: { folder: "etcd", package: "example.org/probe", ldflags: "-s", usually: "1 min" },
      ...changes,
    };
  }

  /** Path of the probe in the cache. */
  get cached(): string {
    return path.join(this.machine.cache, "tools", "probe-1.2.3-linux-x64", "bin", "probe");
  }

  get downloads(): string {
    return path.join(this.machine.cache, "downloads");
  }

  async get(tool = this.probe()): Promise<string> {
    const [file = ""] = await obtainTools([tool], this.machine, this.progress);
    return file;
  }

  putOnPath(name: string, content: string): string {
    const file = path.join(this.machine.path, name);
    writeExecutable(file, content);
    return file;
  }

  async putInMirror(content: string): Promise<void> {
    await writeFile(path.join(this.folder, "mirror", "probe-1.2.3-linux-x64.br"), brotliCompressSync(content));
  }

  async putHalfDownload(content: string): Promise<void> {
    await mkdir(this.downloads, { recursive: true });
    await writeFile(path.join(this.downloads, "probe"), content);
  }

  publish(content: string): void {
    this.served.set("probe", content).set("probe.sha256", `${sha256(content)}\n`);
  }

  /** A `go` that builds the probe; the answer reads what it was asked to build. */
  async installGo(version = "1.2.3"): Promise<() => Promise<string>> {
    const log = path.join(this.folder, "builds");
    const built = path.join(this.folder, "built");
    await Promise.all([writeFile(log, ""), writeFile(built, program(version))]);
    const lines = [
      "#!/bin/sh",
      'if [ "$1" = env ]; then echo go1.26.8; exit; fi',
      `if [ "$2" = edit ]; then echo '{ "Require": [], "Replace": [] }'; exit; fi`,
      `echo "$1 in $(basename "$PWD" -${process.pid}) with go.mod $(test -f go.mod && echo there)" >> ${log}`,
      'while [ "$1" != -o ]; do shift; done',
      'out="$2"; shift 2',
      `for package; do cp ${built} "$out$(basename "\${package%/v3}")"; done`,
    ];
    this.putOnPath("go", lines.join("\n"));
    return () => readFile(log, "utf8");
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const name = path.basename(request.url ?? "");
    this.requests.push(name);
    const content = this.served.get(name);
    if (content === undefined) return void response.writeHead(404).end();
    response.end(content);
  }
}
