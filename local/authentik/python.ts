import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";
import type { Fields } from "./objects.ts";

/** What expressions may call. The JSON texts stand for Python values. */
export type Callbacks = {
  log: (level: string, message: string, fields: string) => void;
  create_jwt: (user: number, provider: string, scopes: string, validity: string, origin: string) => string | undefined;
};
type Globals = { set: (name: string, value: unknown) => void; get: (name: string) => (text: string) => string };
/** Takes `mappings`, `user`, `http`, `provider` and `token`. */
export type Evaluate = (context: Fields) => Fields;

/** Starts CPython (WebAssembly; some 2.5 s) and returns the function that runs scope mappings and merges their results. */
export async function loadPython(callbacks: Callbacks): Promise<Evaluate> {
  const python = await loadPyodide();
  const globals = python.globals as unknown as Globals;
  globals.set("emulator", callbacks);
  python.runPython(readFileSync(new URL("expression.py", import.meta.url), "utf8"));
  const evaluate = globals.get("evaluate");
  return (context) => JSON.parse(evaluate(JSON.stringify(context))) as Fields;
}
