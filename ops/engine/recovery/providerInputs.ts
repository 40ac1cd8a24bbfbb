/** The configuration of providers, whose secrets the record of steps does not contain. */
import { output, runtime } from "@pulumi/pulumi";
import type { PulumiFn, Stack } from "@pulumi/pulumi/automation/index.js";
import { changeResources, type Resource } from "../state/state.ts";
import { qualifiedName } from "../step.ts";
import { MASKED } from "./stepRecord.ts";

/**
 * Completes providers in the state whose inputs are masked.
 * @param providers their URNs
 * @throws Error when the program does not configure one of them
 */
export async function addSecretInputs(stack: Stack, providers: ReadonlySet<string>): Promise<void> {
  const inputs = await providerInputs(stack, providers);
  await changeResources(stack, (resources) =>
    resources.map((resource) => (providers.has(resource.urn) ? withSecretInputs(resource, inputs) : resource)),
  );
}

type ProviderInputs = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/**
 * Returns the inputs of the program's providers in plain text, by type and name. The preview ends when they are known: the rest of the program
 * may wait for a server that the interrupted deployment had not created yet.
 * @param wanted URNs of providers
 */
async function providerInputs(stack: Stack, wanted: ReadonlySet<string>): Promise<ProviderInputs> {
  const names = new Set([...wanted].map(qualifiedName));
  const found = new Map<string, Record<string, unknown>>();
  const complete = new AbortController();
  const program: PulumiFn = () => {
    runtime.registerStackTransformation(({ type, name, props }) => {
      const key = `${type}::${name}`;
      if (names.has(key))
        output(props).apply((inputs) => {
          found.set(key, inputs);
          if (found.size === names.size) complete.abort();
        });
      return undefined;
    });
    return stack.workspace.program?.() ?? Promise.resolve();
  };
  await stack.preview({ program, signal: complete.signal }).catch((error: unknown) => {
    if (!complete.signal.aborted) throw error;
  });
  return found;
}

function withSecretInputs(provider: Resource, inputs: ProviderInputs): Resource {
  const plain = inputs.get(qualifiedName(provider.urn));
  const filled = Object.entries(provider.inputs ?? {}).map(([key, value]) => {
    if (value !== MASKED) return [key, value];
    if (plain?.[key] === undefined)
      throw new Error(
        `the program does not configure ${provider.urn}, which an interrupted deployment created. Deploy the configuration of that deployment first.`,
      );
    return [key, { [runtime.specialSigKey]: runtime.specialSecretSig, plaintext: JSON.stringify(plain[key]) }];
  });
  const all = Object.fromEntries(filled) as Record<string, unknown>;
  return { ...provider, inputs: all, outputs: all };
}
