import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { loadPyodide, type PyodideAPI, version } from "pyodide";
import { log } from "./log.ts";
import type { Fields } from "./objects.ts";

/** Functions that expressions can call. JSON texts represent Python values. */
type Callbacks = {
  log: (level: string, message: string, fields: string) => void;
  create_jwt: (user: number, provider: string, scopes: string, validity: string, origin: string) => string | undefined;
};
type Globals = { set: (name: string, value: unknown) => void; get: (name: string) => (text: string) => string };
/** The functions of expression.py. */
export type Python = {
  /** Takes `mappings`, `user`, `http`, `provider` and `token`; returns the merged claims. */
  claims: (context: Fields) => Fields;
  /** Takes `policy` and `user`. */
  passes: (context: Fields) => boolean;
  /** Takes `expression` and the name of its object; returns the message of a syntax error, null without one. */
  syntaxError: (context: Fields) => string | null;
};

const source = readFileSync(new URL("expression.py", import.meta.url), "utf8");

/** Starts CPython (WebAssembly) and returns what runs scope mappings and policies. */
export async function loadPython(callbacks: Callbacks): Promise<Python> {
  const python = await start();
  const globals = python.globals as unknown as Globals;
  globals.set("emulator", callbacks);
  const call =
    <T>(name: string) =>
    (context: Fields): T =>
      JSON.parse(globals.get(name)(JSON.stringify(context))) as T;
  return {
    claims: call<Fields>("claims"),
    passes: call<boolean>("passes"),
    syntaxError: call<string | null>("syntax_error"),
  };
}

/**
 * Returns CPython with the functions of expression.py. The first start takes some 2.3 s of CPU time and writes a snapshot of the memory into
 * the project, from which every later one starts in 0.3 s.
 */
async function start(): Promise<PyodideAPI> {
  const key = createHash("sha256").update(version).update(source).digest("hex").slice(0, 16);
  const snapshot = path.join(import.meta.dirname, "../../.gatehouse", `python-${key}.snapshot`);
  if (existsSync(snapshot)) return loadPyodide({ _loadSnapshot: readFileSync(snapshot) });
  const python = await loadPyodide({ _makeSnapshot: true });
  python.runPython(source);
  try {
    mkdirSync(path.dirname(snapshot), { recursive: true });
    // Written atomically: another process may start at the same time.
    writeFileSync(`${snapshot}.${process.pid}`, python.makeMemorySnapshot());
    renameSync(`${snapshot}.${process.pid}`, snapshot);
  } catch (error) {
    log("warning", "failed to write the snapshot of Python; every start takes longer", { error: String(error) });
  }
  return python;
}
