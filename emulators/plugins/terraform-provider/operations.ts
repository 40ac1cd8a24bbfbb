import { isDeepStrictEqual } from "node:util";

import { asText, isAbsent, isEmpty } from "../bridge.ts";
import type { Fields } from "../bridge.ts";
import type { Value, Values } from "../protocol/plugin.ts";
import type { Api } from "./api.ts";
import { RESOURCES } from "./resources.ts";
import type { Resource, WireField } from "./resources.ts";

/** The operations of one type of resource. Values are complete; undefined = the server responded with 404. */
export interface Operations {
  readonly fields: Fields;
  /** The output with the object's id: Terraform's `id`, renamed because the engine has one. */
  readonly idName: string;
  create(api: Api, values: Values): Promise<Found | undefined>;
  read(api: Api, id: string, known: Values): Promise<Found | undefined>;
  update(api: Api, id: string, old: Values, values: Values): Promise<Found | undefined>;
  delete(api: Api, id: string, state: Values): Promise<void>;
}
interface Found {
  readonly id: string;
  readonly state: Values;
}

/** Takes a name as in the type token, e.g. `ProviderProxy`. @throws for one that the table does not have */
export function operationsOf(name: string): Operations {
  const resource = RESOURCES[name];
  if (!resource) throw new Error(`the emulated authentik provider does not support the resource ${name}`);
  return restful(name, resource);
}

/** Create is POST and GET, update is PUT and GET with the whole object. */
function restful(name: string, { path, key = "pk", query, fields }: Resource): Operations {
  // An output next to the engine's id; only this one follows a rename at once.
  const idName = `${name[0]?.toLowerCase()}${name.slice(1)}Id`;
  const at = (id: Value | undefined): string => `${path}${encodeURIComponent(asText(id))}/`;

  async function read(api: Api, id: string, known: Values): Promise<Found | undefined> {
    const answer = await api.object({ method: "GET", path: at(id), query }, key);
    if (!answer) return undefined;
    const more = await moreOf(name, api, at(id), known, answer);
    const found = asText(answer[key]);
    return { id: found, state: { ...stateOf(fields, answer, known), ...more, [idName]: found } };
  }

  return {
    fields: { ...fields, [idName]: { output: true } },
    idName,
    read: (api, id, known) => read(api, asText(known[idName] ?? id), known),
    async create(api, values) {
      const config = name === "Outpost" && isEmpty(values.config) ? await defaultSettings(api) : {};
      const created = await api.object({ method: "POST", path, body: { ...bodyOf(fields, values), ...config } }, key);
      if (!created) return undefined;
      const id = asText(created[key]);
      const body: Values = { password: values.password };
      if (values.password) await api.command({ method: "POST", path: `${at(id)}set_password/`, body });
      return read(api, id, values);
    },
    async update(api, id, old, values) {
      // An empty list that the program gives takes all away; only what it leaves out stays.
      const computed = Object.keys(fields).filter((field) => fields[field]?.computed && isAbsent(values[field]));
      const known: Values = { ...values, ...Object.fromEntries(computed.map((field) => [field, old[field]])) };
      const body = bodyOf(fields, known);
      const changed = await api.object({ method: "PUT", path: at(old[idName] ?? id), body }, key);
      return changed && read(api, asText(changed[key]), known);
    },
    delete: (api, id, state) => api.command({ method: "DELETE", path: at(state[idName] ?? id) }),
  };
}

async function defaultSettings(api: Api): Promise<Values> {
  const path = "/outposts/instances/default_settings/";
  return (await api.object({ method: "GET", path }, "config")) ?? {};
}

/** Returns the outputs of a read that do not come from the response. */
async function moreOf(name: string, api: Api, path: string, known: Values, answer: Values): Promise<Values> {
  // The server adds the default mappings; they count only for a program that lists some.
  if (name === "ProviderProxy" && isEmpty(known.propertyMappings)) return { propertyMappings: [] };
  if (name !== "Token") return {};
  const until = answer.expires ? Date.parse(asText(answer.expires)) - Date.now() : 0;
  const view = known.retrieveKey ? await api.object({ method: "GET", path: `${path}view_key/` }, "key") : undefined;
  return { key: view?.key, expiresIn: Math.trunc(until / 1000) };
}

function bodyOf(fields: Resource["fields"], values: Values): Values {
  const sent = Object.entries(fields).filter(
    ([name, { send }]) => send !== "never" && !(send === "set" && isEmpty(values[name])),
  );
  return Object.fromEntries(sent.map(([name, field]) => [wireName(name, field), written(field, values[name])]));
}

function written(field: WireField, value: Value | undefined): Value {
  if (field.send === "null" && isEmpty(value)) return null;
  if (field.object) return JSON.parse(asText(value) || "{}") as Value;
  return value ?? (field.list ? [] : "");
}

function stateOf(fields: Resource["fields"], answer: Values, known: Values): Values {
  const read = Object.entries(fields).map(([name, field]) => {
    const found = answer[wireName(name, field)];
    if (field.unread) return [name, known[name]];
    if (field.object) return [name, JSON.stringify(found ?? {})];
    return [name, field.list ? inOrderOf(known[name], found) : (found ?? undefined)];
  });
  return Object.fromEntries(read) as Values;
}

/** What the server lists, in the order in which the program does. */
function inOrderOf(known: Value | undefined, found: Value | undefined): Value[] {
  const order = Array.isArray(known) ? known : [];
  const place = (item: Value): number => {
    const index = order.findIndex((other) => isDeepStrictEqual(other, item));
    return index < 0 ? order.length : index;
  };
  return (Array.isArray(found) ? found : []).toSorted((one, other) => place(one) - place(other));
}

/** The name of a field in the API. */
export function wireName(name: string, field?: WireField): string {
  return field?.json ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
