import struct from "google-protobuf/google/protobuf/struct_pb.js";
import type { JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb.js";

import { Secret, UNKNOWN } from "./plugin.ts";
import type { Value, Values } from "./plugin.ts";

// The marks of Pulumi's wire format: https://github.com/pulumi/pulumi/blob/master/sdk/go/common/resource/plugin/rpc.go
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const UNKNOWN_TEXT = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export type Path = readonly (string | number)[];

/** Properties as they came in: without Secret wrappers, and where those were. */
export interface Decoded {
  readonly values: Values;
  readonly secrets: readonly Path[];
}

/** Takes a message of the engine; undefined gives no values. */
export function decode(message: struct.Struct | undefined): Decoded {
  const secrets: Path[] = [];
  const values = decodeValue(message?.toJavaScript() ?? {}, [], secrets) as Values;
  return { values, secrets };
}

function decodeValue(value: Value | undefined, path: Path, secrets: Path[]): Value {
  if (value === UNKNOWN_TEXT) return UNKNOWN;
  if (Array.isArray(value)) return value.map((item, index) => decodeValue(item, [...path, index], secrets));
  if (!isValues(value)) return value ?? null;
  const signature = value[SIGNATURE];
  if (signature === SECRET || (signature === OUTPUT && value.secret === true)) secrets.push(path);
  if (signature === SECRET) return decodeValue(value.value, path, secrets);
  if (signature === OUTPUT) return value.value === undefined ? UNKNOWN : decodeValue(value.value, path, secrets);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, decodeValue(item, [...path, key], secrets)]),
  );
}

/** Writes properties for the engine, with the values at `secrets` marked as well as those wrapped in Secret. */
export function encode(values: Values, secrets: readonly Path[] = []): struct.Struct {
  const marked = secrets.reduce<Value>((all, path) => mark(all, path), values);
  return struct.Struct.fromJavaScript(encodeValue(marked) as Record<string, JavaScriptValue>);
}

function mark(value: Value, [key, ...rest]: Path): Value {
  if (key === undefined) return value instanceof Secret ? value : new Secret(value);
  if (Array.isArray(value)) return value.map((item, index) => (index === key ? mark(item, rest) : item));
  if (!isValues(value)) return value;
  const marked: Values = { ...value };
  const item = value[key];
  if (item !== undefined) marked[key] = mark(item, rest);
  return marked;
}

function encodeValue(value: Value, hidden = false): JavaScriptValue {
  if (value === UNKNOWN) return UNKNOWN_TEXT;
  if (value instanceof Secret) {
    const revealed = encodeValue(value.value, true);
    return hidden ? revealed : { [SIGNATURE]: SECRET, value: revealed };
  }
  if (Array.isArray(value)) return value.map((item) => encodeValue(item, hidden));
  if (!isValues(value)) return value;
  const present = Object.entries(value).filter((entry): entry is [string, Value] => entry[1] !== undefined);
  return Object.fromEntries(present.map(([key, item]) => [key, encodeValue(item, hidden)]));
}

/** The text with every secret string blanked out. Secrets of fewer than 4 characters stay, because they are parts of common words. */
export function redact(text: string, decoded: readonly Decoded[]): string {
  const found = decoded.flatMap(({ values, secrets }) => secrets.flatMap((path) => texts(valueAt(values, ...path))));
  const longestFirst = found.filter(({ length }) => length >= 4).sort((one, other) => other.length - one.length);
  return longestFirst.reduce((all, secret) => all.replaceAll(secret, "[secret]"), text);
}

function texts(value: Value | undefined): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  if (Array.isArray(value)) return value.flatMap(texts);
  return isValues(value) ? Object.values(value).flatMap(texts) : [];
}

/** Returns the value at a path, if there is one. */
export function valueAt(value: Value | undefined, ...path: Path): Value | undefined {
  return path.reduce<Value | undefined>((found, key) => {
    if (Array.isArray(found)) return found[Number(key)];
    return isValues(found) ? found[key] : undefined;
  }, value);
}

/** Returns the text at a path, unless it is empty. */
export function textOf(value: Value | undefined, ...path: Path): string | undefined {
  const found = valueAt(value, ...path);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** The objects in the list at a path; none where there is no list. */
export function itemsOf(value: Value | undefined, ...path: Path): Values[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found.filter(isValues) : [];
}

/** True for an object with keys, false for an array, a Secret, null and every plain value. */
export function isValues(value: Value | undefined): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Secret);
}

/** Returns whether a value contains UNKNOWN. */
export function hasUnknown(value: Value | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasUnknown);
  return value === UNKNOWN || (isValues(value) && Object.values(value).some(hasUnknown));
}

type Difference = Record<string, "add" | "delete" | "update">;

/** Returns the differences by property path as Pulumi writes it. An added or removed branch is one entry; UNKNOWN always differs. */
export function diffValues(olds: Values, news: Values): Difference {
  return Object.fromEntries(diffAt("", olds, news));
}

function diffAt(path: string, old: Value | undefined, value: Value | undefined): [string, Difference[string]][] {
  if (old === undefined) return value === undefined ? [] : [[path, "add"]];
  if (value === undefined) return [[path, "delete"]];
  if (Array.isArray(old) && Array.isArray(value)) {
    const longest = old.length > value.length ? old : value;
    return longest.flatMap((_, index) => diffAt(`${path}[${index}]`, old[index], value[index]));
  }
  if (isValues(old) && isValues(value)) {
    const keys = new Set([...Object.keys(old), ...Object.keys(value)]);
    return [...keys].flatMap((key) => diffAt(joinPath(path, key), old[key], value[key]));
  }
  return old === value && value !== UNKNOWN ? [] : [[path, "update"]];
}

/** The path of a key below another path; a key that would be misread is quoted, as the engine's own printer does. */
function joinPath(path: string, key: string): string {
  if (/[."[\]]/.test(key)) return `${path}["${key.replaceAll('"', '\\"')}"]`;
  return path === "" ? key : `${path}.${key}`;
}
