import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../../../../ops/commands/contract.ts";
import { painter } from "../../../../ops/terminal/paint.ts";
import { SHELL } from "../../../helpers/shell.ts";

interface Run {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** A folder with stack files and lock files, and one as the local platform would keep it. */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), "gatehouse-contracts-"));
  /** Of the deploying shell. */
  readonly environment: Record<string, string> = {};
  today = "2026-11-30";
  colours = false;

  /** Runs the command. */
  async run(...args: string[]): Promise<Run> {
    const seen = { out: "", error: "" };
    const code = await main(args, {
      ...SHELL,
      environment: this.environment,
      project: this.folder,
      data: join(this.folder, "data"),
      paint: painter(this.colours),
      now: () => new Date(this.today),
      out: (text) => (seen.out += text),
      error: (text) => (seen.error += text),
    });
    return { code, ...seen };
  }

  /** The stack `dev`, with a data API on that server; null = without one. */
  writeDev(postgres: object, dataApi: object | null = {}): void {
    const config = {
      "gatehouse:domains": { localhost: {} },
      "gatehouse:protected_services": [],
      "gatehouse:identity_provider": { install: false, url: "https://sso.example.org", token: "${TOKEN}" },
      "gatehouse:postgres": postgres,
      ...(dataApi && { "gatehouse:data_api": { ...DATA_API, ...dataApi } }),
    };
    this.write("Pulumi.dev.yaml", JSON.stringify({ config }));
  }

  /** The project's own stack `local`, with what its last start wrote about the database. */
  writeLocal(port: number, password: string): void {
    const name = "Pulumi.local.yaml";
    copyFileSync(join(import.meta.dirname, "../../../..", name), join(this.folder, name));
    const config = { "variables:POSTGRES_PORT": String(port) };
    const environment = { POSTGRES_PASSWORD: password };
    this.write(
      "data/context.json",
      JSON.stringify({ context: "gatehouse-local", stack: "local", config, environment }),
    );
  }

  write(file: string, text: string): void {
    mkdirSync(join(this.folder, file, ".."), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  /** Undefined when there is no such file. */
  read(file: string): string | undefined {
    const path = join(this.folder, file);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}

const DATA_API = {
  domains: ["localhost"],
  authenticator_password: "${AUTHENTICATOR_PASSWORD}",
  owner_password: "${OWNER_PASSWORD}",
};
