/** Shared by the emulators of bridged Terraform providers: a table of fields decides how a resource is named, completed and compared. */
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import { Secret, UNKNOWN } from "./protocol/plugin.ts";
import type { Change, ChangeKind, CheckResult, Value, Values } from "./protocol/plugin.ts";
import { hasUnknown } from "./protocol/values.ts";

export interface Field {
  readonly default?: Value;
  /** The provider fills it in where the program leaves it out. */
  readonly computed?: true;
  /** Never an input. */
  readonly output?: true;
  readonly replaces?: true;
  /** A list whose order means nothing. */
  readonly set?: true;
  readonly secret?: true;
  /** Returns why the value is refused; undefined = accepted. */
  validate?(value: Value): string | undefined;
  /** Whether two values that are written differently mean the same. */
  same?(wanted: Value, current: Value): boolean;
}
export type Fields = Readonly<Record<string, Field>>;

/** Names the resource if the program does not, as Pulumi does, and refuses inputs that the table does not have or allow. */
export function check(fields: Fields, olds: Values | undefined, news: Values, urn: string): CheckResult {
  const logicalName = urn.slice(urn.lastIndexOf("::") + 2);
  const unnamed = "name" in fields && isAbsent(news.name);
  const suffix = randomBytes(4).toString("hex").slice(0, 7);
  const inputs: Values = unnamed ? { ...news, name: olds?.name ?? `${logicalName}-${suffix}` } : news;
  const failures = Object.entries(inputs).flatMap(([property, value]) => {
    const field = fields[property];
    if (isAbsent(value)) return [];
    if (!field || field.output) return [{ property, reason: `the emulated plugin does not support "${property}"` }];
    const reason = hasUnknown(value) ? undefined : field.validate?.(value);
    return reason === undefined ? [] : [{ property, reason }];
  });
  return { inputs, failures };
}

/** Compares the state with the inputs. Like Terraform, it does not distinguish an absent value from an empty one. */
export function compare(fields: Fields, state: Values, news: Values, deleteBeforeReplace = false): Change {
  const detailed: Record<string, ChangeKind> = {};
  const replaces: string[] = [];
  for (const [name, field] of Object.entries(fields)) {
    const wanted = news[name] ?? field.default;
    const current = state[name];
    if (field.output || (field.computed && isAbsent(wanted)) || isSame(field, wanted, current)) continue;
    const kind = isEmpty(current) ? "add" : isEmpty(wanted) ? "delete" : "update";
    detailed[name] = field.replaces ? `${kind}-replace` : kind;
    if (field.replaces) replaces.push(name);
  }
  // The bridge deletes first if the name, which the program sets, cannot exist twice.
  const namesake = !isAbsent(news.name) && news.name === state.name;
  return {
    changes: Object.keys(detailed).length > 0,
    replaces,
    detailed,
    deleteBeforeReplace: replaces.length > 0 && (deleteBeforeReplace || namesake),
  };
}

/** The inputs with every default. */
export function complete(fields: Fields, inputs: Values): Values {
  const defaults = Object.entries(fields).map(([name, field]) => [name, inputs[name] ?? field.default]);
  return { ...inputs, ...(Object.fromEntries(defaults) as Values) };
}

/** Returns the outputs in a preview: the inputs; the rest from the state, or UNKNOWN. */
export function planned(fields: Fields, inputs: Values, state: Values | undefined): Values {
  const completed = complete(fields, inputs);
  const computed = Object.entries(fields).filter(
    ([name, field]) => (field.computed || field.output) && isAbsent(completed[name]),
  );
  return { ...completed, ...Object.fromEntries(computed.map(([name]) => [name, state ? state[name] : UNKNOWN])) };
}

/** The inputs that describe what was found: those the program gives, or for an import all that differ from the defaults. */
export function inputsFound(fields: Fields, inputs: Values | undefined, state: Values): Values {
  const names = inputs
    ? Object.keys(inputs)
    : Object.entries(fields)
        .filter(([name, field]) => !field.output && !isSame(field, state[name], field.default))
        .map(([name]) => name);
  return Object.fromEntries(names.map((name) => [name, state[name] ?? inputs?.[name]]));
}

/** Wraps the values of secret fields, so that the engine encrypts them in its state. */
export function markSecrets(fields: Fields, state: Values): Values {
  const secrets = Object.entries(fields).flatMap(([name, { secret }]) => {
    const value = state[name];
    return secret && value !== undefined && !isEmpty(value) ? [[name, new Secret(value)] as const] : [];
  });
  return { ...state, ...Object.fromEntries(secrets) };
}

/** Refuses a value that is not in the list, with the message of the Terraform SDK. */
export function oneOf(property: string, allowed: readonly string[]): (value: Value) => string | undefined {
  const list = allowed.map((name) => `"${name}"`).join(" ");
  return (value) =>
    allowed.includes(value as string) ? undefined : `expected ${property} to be one of [${list}], got ${asText(value)}`;
}

/** Returns whether a property has no value. */
export function isAbsent(value: Value | undefined): value is null | undefined {
  return value === undefined || value === null;
}

/** Returns a string as it is, and any other value as JSON. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Terraform's zero values. */
export function isEmpty(value: Value | undefined): boolean {
  return isAbsent(value) || value === "" || value === false || value === 0 || (Array.isArray(value) && !value.length);
}

function isSame(field: Field, wanted: Value | undefined, current: Value | undefined): boolean {
  if (isEmpty(wanted) && isEmpty(current)) return true;
  if (isAbsent(wanted) || isAbsent(current) || hasUnknown(wanted)) return false;
  if (field.set && Array.isArray(wanted) && Array.isArray(current)) {
    return isDeepStrictEqual([...wanted].sort(), [...current].sort());
  }
  return isDeepStrictEqual(wanted, current) || (field.same?.(wanted, current) ?? false);
}
