import * as pulumi from "@pulumi/pulumi";

export interface Recorded {
  readonly type: string;
  readonly name: string;
  readonly inputs: Record<string, unknown>;
}

/** What authentik's lookups answer; every other call fails the test. */
const LOOKUPS: Readonly<Record<string, (args: Record<string, unknown>) => Record<string, unknown>>> = {
  "authentik:index/getFlow:getFlow": ({ slug }) => ({ id: `flow-${String(slug)}` }),
  "authentik:index/getOutpost:getOutpost": ({ name }) => ({ id: `outpost-${String(name)}` }),
  "authentik:index/getCertificateKeyPair:getCertificateKeyPair": ({ name }) => ({ id: `key-${String(name)}` }),
  "authentik:index/getPropertyMappingProviderScope:getPropertyMappingProviderScope": ({ managedLists }) => ({
    id: "-1",
    ids: managedLists,
  }),
};

/** Records every resource that a program registers, and answers with its own inputs. Numbers ids per type, as authentik does. */
export class Recorder implements pulumi.runtime.Mocks {
  readonly resources: Recorded[] = [];

  newResource(args: pulumi.runtime.MockResourceArgs): { id: string; state: Record<string, unknown> } {
    const { type, name, inputs } = args as { type: string; name: string; inputs: Record<string, unknown> };
    this.resources.push({ type, name, inputs });
    const state = type === "kubernetes:core/v1:Service" ? withClusterIp(inputs) : { uuid: `uuid-${name}`, ...inputs };
    return { id: String(this.of(type).length), state };
  }

  call({ token, inputs }: pulumi.runtime.MockCallArgs): Record<string, unknown> {
    const lookup = LOOKUPS[token];
    if (!lookup) {
      throw new Error(`the program called ${token}, which no test expects`);
    }
    return lookup(inputs as Record<string, unknown>);
  }

  of(type: string): Recorded[] {
    return this.resources.filter((resource) => resource.type === type);
  }

  /** The one resource of that type and name. */
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
}

function withClusterIp(inputs: Record<string, unknown>): Record<string, unknown> {
  return { ...inputs, spec: { ...(inputs["spec"] as Record<string, unknown>), clusterIP: "127.96.0.9" } };
}

/** Runs a program under mocks until every output and every resource is settled. */
export async function record<T>(program: () => T | Promise<T>): Promise<{ recorder: Recorder; result: Awaited<T> }> {
  const recorder = new Recorder();
  await pulumi.runtime.setMocks(recorder, "gatehouse", "local", false);
  let result: Awaited<T> | undefined;
  await pulumi.runtime.runInPulumiStack(async () => {
    result = await program();
    return {};
  });
  await pulumi.runtime.disconnect();
  return { recorder, result: result as Awaited<T> };
}
