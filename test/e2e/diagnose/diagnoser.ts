/** `npx gatehouse diagnose` for a separate platform, as in another terminal. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { writeLocalContext } from "../../../ops/context/local.ts";
import { main } from "../../../ops/commands/diagnose.ts";
import { packageFolder } from "../../../config/files/folders.ts";
import type { Diagnosis } from "../../../ops/checks/diagnose/diagnosis.ts";
import type { Config, OwnPlatform, OwnStack } from "../../helpers/ownPlatform.ts";
import { SHELL } from "../../helpers/shell.ts";

/** The result of one run with `--json`. */
interface Diagnosed {
  readonly code: number;
  readonly diagnosis: Diagnosis;
}

/** A project folder with one stack file, and a data folder with the context of the platform. */
export class Diagnoser {
  readonly #project = mkdtempSync(join(tmpdir(), "gatehouse-diagnose-"));
  readonly #data = join(this.#project, "data");
  readonly #context: string;
  readonly #stack: string;
  readonly #environment: Readonly<Record<string, string>>;
  /** The output of all runs. */
  printed = "";

  constructor({ platform }: OwnPlatform, { stack }: OwnStack, secrets: Readonly<Record<string, string>>) {
    this.#context = platform.context;
    this.#stack = stack.name;
    this.#environment = { ...stack.workspace.envVars, ...secrets };
    copyFileSync(join(packageFolder(), "Pulumi.yaml"), join(this.#project, "Pulumi.yaml"));
  }

  /** @param environment what the shell has otherwise, e.g. another kubeconfig */
  async run(
    config: Config,
    args: readonly string[] = [],
    environment: Record<string, string> = {},
  ): Promise<Diagnosed> {
    const { text, code } = await this.#main(config, [...args, "--json"], environment);
    return { code, diagnosis: JSON.parse(text) as Diagnosis };
  }

  /** As {@link run}, as text. */
  async print(config: Config, args: readonly string[] = []): Promise<string> {
    return (await this.#main(config, args, {})).text;
  }

  /** Names of the reports that are kept. */
  get reports(): string[] {
    return readdirSync(join(this.#data, "diagnose")).sort();
  }

  report(name: string): string {
    return readFileSync(join(this.#data, "diagnose", name), "utf8");
  }

  remove(): void {
    rmSync(this.#project, { recursive: true });
  }

  async #main(
    config: Config,
    args: readonly string[],
    changed: Record<string, string>,
  ): Promise<{ text: string; code: number }> {
    writeFileSync(join(this.#project, `Pulumi.${this.#stack}.yaml`), stringify({ config }));
    const environment = { ...this.#environment, ...changed };
    mkdirSync(this.#data, { recursive: true });
    writeLocalContext(this.#data, { context: this.#context, stack: this.#stack, config: {}, environment });
    let text = "";
    const add = (more: string): void => void (text += more);
    const shell = { ...SHELL, project: this.#project, data: this.#data, now: () => new Date() };
    const code = await main([this.#context, ...args], { ...shell, out: add, error: add });
    this.printed += text;
    return { text, code };
  }
}
