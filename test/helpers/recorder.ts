import * as pulumi from "@pulumi/pulumi";

export interface Recorded {
  readonly type: string;
  readonly name: string;
  readonly inputs: Record<string, unknown>;
  /** The inputs as JSON, without secrets. */
  readonly visible: string;
  /** Reference to the provider, `<urn>::<id>`; empty for the default one. */
  readonly provider: string;
}

/** Results of authentik's lookups; every other call fails the test. */
const LOOKUPS: Readonly<Record<string, (args: Record<string, unknown>) => Record<string, unknown>>> = {
  "authentik:index/getFlow:getFlow": ({ slug }) => ({ id: `flow-${String(slug)}` }),
  "authentik:index/getUser:getUser": () => ({ id: "4711" }),
  "authentik:index/getCertificateKeyPair:getCertificateKeyPair": ({ name }) => ({ id: `key-${String(name)}` }),
  "authentik:index/getPropertyMappingProviderScope:getPropertyMappingProviderScope": ({ managedLists, scopeName }) => ({
    id: typeof scopeName === "string" ? `mapping-${scopeName}` : "-1",
    ids: managedLists ?? [],
  }),
};

/** Outputs that authentik generates, by type. */
const MADE_UP: Readonly<Record<string, (name: string) => Record<string, unknown>>> = {
  "authentik:index/token:Token": (name) => ({ key: `key-of-${name}` }),
  "authentik:index/providerProxy:ProviderProxy": (name) => ({ clientId: `client-of-${name}` }),
};

/** Records every resource that a program registers, and returns its inputs as outputs. Numbers ids per type like authentik. */
export class Recorder implements pulumi.runtime.Mocks {
  readonly resources: Recorded[] = [];
  /** Existing resources that the program only reads. */
  readonly reads: Recorded[] = [];
  /** Names that a type has twice, which the engine rejects within one parent. */
  readonly twice: string[] = [];
  /** Names of the resources that each resource depends on, by type and name. */
  readonly dependencies = new Map<string, readonly string[]>();
  /** Lookups, as `<token> <arguments>`. */
  readonly calls: string[] = [];

  newResource(
    args: pulumi.runtime.MockResourceArgs,
  ): pulumi.runtime.MockResourceResult | Promise<pulumi.runtime.MockResourceResult> {
    const { type, name, provider = "" } = args;
    const inputs = bare(args.inputs) as Record<string, unknown>;
    const list = args.id ? this.reads : this.resources;
    if (list.some((other) => other.type === type && other.name === name)) this.twice.push(`${type} "${name}"`);
    list.push({ type, name, inputs, visible: JSON.stringify(args.inputs, withoutSecrets), provider });
    const state =
      type === "kubernetes:core/v1:Service"
        ? withClusterIp(inputs)
        : { uuid: `uuid-${name}`, ...MADE_UP[type]?.(name), ...(args.inputs as object) };
    return { id: args.id ? args.id : String(this.of(type).length), state };
  }

  call({ token, inputs }: pulumi.runtime.MockCallArgs): Record<string, unknown> {
    const lookup = LOOKUPS[token];
    if (!lookup) {
      throw new Error(`unexpected call of ${token}`);
    }
    this.calls.push(`${token.split(":").at(-1) ?? ""} ${JSON.stringify(inputs)}`);
    return lookup(inputs as Record<string, unknown>);
  }

  of(type: string): Recorded[] {
    return this.resources.filter((resource) => resource.type === type);
  }

  /** Returns the resource with this type and name. */
  one(type: string, name: string): Recorded {
    const [found, ...others] = this.of(type).filter((resource) => resource.name === name);
    if (!found || others.length > 0) {
      const names = this.of(type).map((resource) => resource.name);
      throw new Error(
        `expected one ${type} "${name}", found ${others.length + (found ? 1 : 0)} among ${names.join(", ")}`,
      );
    }
    return found;
  }

  /** Returns the inputs of the cluster's objects of a type, by `<namespace>/<name>`; an autonamed one by the name of its resource. */
  objects<T = Record<string, unknown>>(type: string): Map<string, T> {
    return new Map(
      this.of(`kubernetes:${type}`).map(({ name: resource, inputs }) => {
        const { namespace, name = resource } = inputs["metadata"] as { namespace?: string; name?: string };
        return [`${namespace ?? ""}/${name}`, inputs as T];
      }),
    );
  }
}

function withClusterIp(inputs: Record<string, unknown>): Record<string, unknown> {
  return { ...inputs, spec: { ...(inputs["spec"] as Record<string, unknown> | undefined), clusterIP: "127.96.0.9" } };
}

/** Signature key of secrets and other special values (Pulumi's wire format). */
const MARK = "4dabf18193072939515e22adb298388d";

/** Returns a value without the signatures of secrets. */
function bare(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(bare);
  if (MARK in value && "value" in value) return bare(value.value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, bare(item)]));
}

function withoutSecrets(_: string, value: unknown): unknown {
  return typeof value === "object" && value !== null && MARK in value ? "[secret]" : value;
}

/** The requests that mocks receive without the dependencies (Pulumi's `RegisterResourceRequest`). */
interface Monitor {
  registerResource(
    request: Readonly<Record<"getType" | "getName", () => string>> & { getDependenciesList(): string[] },
    ...rest: unknown[]
  ): unknown;
}

function recordDependencies({ dependencies }: Recorder): void {
  const monitor = pulumi.runtime.getMonitor() as unknown as Monitor;
  const register = monitor.registerResource.bind(monitor);
  monitor.registerResource = (request, ...rest) => {
    const names = request.getDependenciesList().map((urn) => urn.split("::").at(-1) ?? "");
    dependencies.set(`${request.getType()} ${request.getName()}`, names);
    return register(request, ...rest);
  };
}

/**
 * Runs a program under mocks until every output and every resource is settled.
 * @throws when two resources of a type have one name
 */
export async function record<T>(
  program: () => T | Promise<T>,
  recorder = new Recorder(),
): Promise<{ recorder: Recorder; result: Awaited<T> }> {
  const { stackTraceLimit } = Error;
  let result: Awaited<T> | undefined;
  try {
    // Pulumi records a stack trace for every promise, which takes most of the time.
    Error.stackTraceLimit = 0;
    await pulumi.runtime.setMocks(recorder, "gatehouse", "local", false);
    recordDependencies(recorder);
    await pulumi.runtime.runInPulumiStack(async () => {
      result = await program();
      return {};
    });
    await pulumi.runtime.disconnect();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  if (recorder.twice.length > 0) throw new Error(`registered twice: ${recorder.twice.join(", ")}`);
  return { recorder, result: result as Awaited<T> };
}
