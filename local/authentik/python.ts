import { readFileSync } from "node:fs";
import { loadPyodide } from "pyodide";
import type { Fields } from "./objects.ts";

/** What the expressions of a provider are given. */
export type Context = {
  mappings: { name: string; scope_name: string; expression: string }[];
  user: Fields;
  http: { method: string; path: string; host: string; origin: string; META: Fields; headers: Fields };
  provider: Fields;
  token: Fields;
};
/** What expressions may call. The JSON texts stand for Python values. */
export type Callbacks = {
  log: (level: string, message: string, fields: string) => void;
  user_by: (filters: string) => string | undefined;
  create_jwt: (user: number, provider: string, scopes: string, validity: string, origin: string) => string | undefined;
};
type Globals = { set: (name: string, value: unknown) => void; get: (name: string) => (text: string) => string };
export type Evaluate = (context: Context) => Fields;

/** Starts CPython (WebAssembly; some 2.5 s) and gives the function that runs scope mappings and merges their results. */
export async function loadPython(callbacks: Callbacks): Promise<Evaluate> {
  const python = await loadPyodide();
  const globals = python.globals as unknown as Globals;
  globals.set("double", callbacks);
  python.runPython(readFileSync(new URL("expression.py", import.meta.url), "utf8"));
  const evaluate = globals.get("evaluate");
  return (context) => JSON.parse(evaluate(JSON.stringify(context))) as Fields;
}
