/**
 * Emulates the Pulumi plugin `terraform-provider` for one of the Terraform providers that it can bridge: goauthentik/authentik 2026.5.0.
 */
import { asText, check, compare, complete, inputsFound, isAbsent, planned, markSecrets } from "../bridge.ts";
import { UNKNOWN } from "../protocol/plugin.ts";
import type { Parameter, Plugin, Values } from "../protocol/plugin.ts";
import { Api } from "./api.ts";
import { lookUp, outputsOf } from "./lookups.ts";
import { operationsOf } from "./operations.ts";
import type { Operations } from "./operations.ts";

const PACKAGE = { name: "authentik", version: "2026.5.0" };

// The error of the bridge for a 404 after a create or an update.
const NOT_THERE =
  "Internal error: DecodePropertyMap expected the decoder to return an Object.\n" +
  "Please report to https://github.com/pulumi/pulumi-terraform-bridge/issues";

/** Returns an emulator of the Pulumi plugin `terraform-provider` with the provider goauthentik/authentik. */
export function authentik(): Plugin {
  // Undefined as long as the url or the token is unknown: nothing is called then.
  let connection: Api | undefined;
  const api = (): Api => {
    if (!connection) throw new Error("the url or the token of the authentik provider is not known yet");
    return connection;
  };

  return {
    name: "terraform-provider",
    version: "1.1.3",
    logsErrors: true,
    parameterize,

    async configure(config) {
      connection = connect(config);
      // The real provider sends this request once, and ignores the response.
      await connection?.command({ method: "GET", path: "/root/config/" }).catch(() => undefined);
    },
    check: (type, olds, news, urn) => Promise.resolve(check(operations(type).fields, olds, news, urn)),
    diff: (type, _id, _oldInputs, state, news) => Promise.resolve(compare(operations(type).fields, state, news)),

    async create(type, inputs, { preview }) {
      const resource = operations(type);
      if (preview) return { id: "", state: planned(resource.fields, inputs, undefined) };
      const created = await resource.create(api(), complete(resource.fields, inputs));
      if (!created) throw new Error(NOT_THERE);
      return { id: created.id, state: markSecrets(resource.fields, created.state) };
    },
    async read(type, id, inputs, state) {
      const resource = operations(type);
      const isRefresh = state !== undefined && Object.keys(state).length > 0;
      // Terraform reads by the id in the state; without one the object counts as deleted (measured: a refresh of a state whose outputs lacked it).
      if (isRefresh && isAbsent(state[resource.idName])) return undefined;
      const found = await resource.read(api(), id, complete(resource.fields, isRefresh ? state : {}));
      if (!found) return undefined;
      const given = inputsFound(resource.fields, isRefresh ? inputs : undefined, found.state);
      return { id: found.id, inputs: given, state: markSecrets(resource.fields, found.state) };
    },
    async update(type, id, oldState, news, { preview }) {
      const resource = operations(type);
      if (preview) return planned(resource.fields, news, oldState);
      const changed = await resource.update(api(), id, oldState, complete(resource.fields, news));
      if (!changed) throw new Error(NOT_THERE);
      return markSecrets(resource.fields, changed.state);
    },
    delete: (type, id, state) => operations(type).delete(api(), id, state),

    async invoke(token, args) {
      if (!connection) return Object.fromEntries(outputsOf(token).map((name) => [name, UNKNOWN]));
      return lookUp(connection, token, args);
    },
  };
}

/** Takes `authentik:index/group:Group`. */
function operations(type: string): Operations {
  return operationsOf(type.slice(type.lastIndexOf(":") + 1));
}

/** The one parameter that is served: what `sdks/authentik/package.json` carries. */
function parameterize({ value }: Parameter): { name: string; version: string } {
  const { remote } = (value ? JSON.parse(Buffer.from(value).toString()) : {}) as { remote?: Values };
  const { url, version } = remote ?? {};
  if (!asText(url).endsWith("goauthentik/authentik") || version !== PACKAGE.version) {
    throw new Error(
      `the emulated plugin supports goauthentik/authentik ${PACKAGE.version} only, not ${asText(url)} ${asText(version)}`,
    );
  }
  return PACKAGE;
}

function connect(config: Values): Api | undefined {
  if (config.url === UNKNOWN || config.token === UNKNOWN) return undefined;
  const url = asText(config.url ?? process.env.AUTHENTIK_URL);
  const token = asText(config.token ?? process.env.AUTHENTIK_TOKEN);
  if (url === "") throw new Error('the authentik provider has no "url"; set authentik:url or AUTHENTIK_URL');
  if (token === "") throw new Error('the authentik provider has no "token"; set authentik:token or AUTHENTIK_TOKEN');
  // The SDK writes what is not a string as JSON.
  const insecure = asText(config.insecure ?? process.env.AUTHENTIK_INSECURE) === "true";
  return new Api(url, token, PACKAGE.version, insecure);
}
