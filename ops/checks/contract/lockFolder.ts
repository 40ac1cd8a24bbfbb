/** The lock files of one stack and its changelog: `contract/<stack>/<schema>.json` and `contract/<stack>/CHANGELOG.md`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { errorText } from "../../../config/errors/errorText.ts";
import { UserError } from "../../../config/errors/userError.ts";
import { replaceFile } from "../../toolchain/replaceFile.ts";
import { addEntry, type Entry } from "./changelog.ts";
import { type Contract, readLock, writeLock } from "./contract.ts";

/** A schema and its contract. */
export interface Lock {
  readonly schema: string;
  /** Name of its lock file, from the project's folder. */
  readonly file: string;
  /** Undefined = none yet. */
  readonly contract: Contract | undefined;
}

/** The lock files of one stack. Stacks have separate contracts, because their pipelines run different versions. */
export class LockFolder {
  readonly #stack: string;
  readonly #folder: string;

  constructor(project: string, stack: string) {
    this.#stack = stack;
    this.#folder = join(project, "contract", stack);
  }

  /**
   * Returns the schemas with a contract (docs/versioning.md): the default one, and every other that has a lock file.
   * @param exposed as the stack lists them
   */
  schemasOf(exposed: readonly string[]): string[] {
    return [...new Set([...exposed.slice(0, 1), ...this.locked()])];
  }

  /** Returns the schemas that have a lock file, sorted; also those that are no longer exposed. */
  locked(): string[] {
    const files = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    return files.flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -".json".length)] : [])).sort();
  }

  /**
   * Returns the contract of a schema.
   * @throws UserError when the file is not a lock file of that schema
   */
  read(schema: string): Lock {
    const file = this.#nameOf(schema);
    const path = join(this.#folder, `${schema}.json`);
    const contract = existsSync(path) ? readLock(readFileSync(path, "utf8"), file) : undefined;
    if (contract === undefined || contract.schema === schema) return { schema, file, contract };
    throw new UserError(`${file} is the lock file of "${contract.schema}"`, "rename it, or correct its schema");
  }

  /**
   * Writes the contract, or removes it (`kept` false). Writes the changelog first: an interruption can duplicate an entry, but not lose one.
   * @throws UserError when the folder cannot be written
   */
  accept(entry: Entry, kept: boolean): void {
    try {
      this.#write(entry, kept);
    } catch (error) {
      throw new UserError(`${this.#nameOf(entry.schema)} cannot be written: ${errorText(error)}`);
    }
  }

  #nameOf(schema: string): string {
    return `contract/${this.#stack}/${schema}.json`;
  }

  #write(entry: Entry, kept: boolean): void {
    mkdirSync(this.#folder, { recursive: true });
    const changelog = join(this.#folder, "CHANGELOG.md");
    const older = existsSync(changelog) ? readFileSync(changelog, "utf8") : "";
    replaceFile(changelog, addEntry(older, this.#stack, entry));
    const lock = join(this.#folder, `${entry.schema}.json`);
    if (kept) replaceFile(lock, writeLock(entry.found));
    else rmSync(lock);
  }
}
