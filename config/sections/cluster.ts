/** The identity of the stack's cluster, and the names of its contexts. */
import { z } from "zod";
import type { Draft } from "../schema/draft.ts";
import { nonEmptyText, text } from "../schema/fields.ts";
import { within } from "../errors/location.ts";
import { type Problem, problem } from "../errors/problems.ts";
import type { Section } from "./section.ts";

const READ_UID = "kubectl get namespace kube-system -o jsonpath={.metadata.uid}";

const schema = z.strictObject({
  uid: text(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "a UID of Kubernetes", `print it with: ${READ_UID}`)
    .optional()
    .describe("UID of the namespace `kube-system`, which identifies a cluster. Another cluster is refused."),
  contexts: z
    .array(nonEmptyText())
    .default([])
    .describe("Other names of the same cluster in kubeconfigs; requires `uid`."),
});

export const cluster = {
  schema,
  description: "The identity of the cluster of `kubernetes:context`.",
  example: `
gatehouse:cluster: { uid: 6b1e5c34-3f0f-4f6b-9a55-0d6c1f6f7a42, contexts: [k3s-prod] }
`,
  text: `
The name of a context does not identify a cluster: k3s calls every context \`default\`. With \`uid\`, every command and \`pulumi up\` compare the UID of the cluster that they reach
before anything changes, and refuse another one. If the UID cannot be read, only \`preview\` without \`--drift\` continues. \`npx gatehouse doctor CONTEXT\` prints the line to add. Without
\`uid\`, only \`npx gatehouse deploy\` compares, with the UID that the last deployment recorded in the state.

Each name of \`contexts\` is accepted like \`kubernetes:context\`, on the command line and in the kubeconfig. If the kubeconfig lacks the given name, another name of the stack that it
contains is used; so two stacks can have \`kubernetes:context: default\`, and are selected by their other names. \`pulumi up\` uses the name in \`GATEHOUSE_CONTEXT\`, or else the first that the
kubeconfig contains. Another stack file that is not valid YAML stops a command, unless the stack of the given context has \`uid\`.

Do not change \`kubernetes:context\` itself after the first deployment: it is part of the state, and another value replaces every object in the cluster.
\`pulumi refresh\` and \`pulumi destroy\` do not run the program, so they do not compare the UID.
`,
} satisfies Section;

type ClusterDraft = Draft<z.output<typeof schema>>;

/** The names and the identity of a cluster. */
export type ClusterIdentity = Readonly<ReturnType<typeof toCluster>>;

/** Returns the settings of the section. @param context `kubernetes:context` */
export function toCluster({ fields }: ClusterDraft, context: string | undefined) {
  const others = fields.contexts ?? [];
  return {
    /** Every name of the cluster in kubeconfigs; the first is `kubernetes:context`. Empty without one. */
    contexts: context === undefined ? [] : [...new Set([context, ...others])],
    /** UID of its namespace kube-system; undefined = only that of the last deployment is compared. */
    uid: fields.uid,
  };
}

/** Checks that other names of a cluster have its identity and its first name. */
export function clusterRules({ location, fields }: ClusterDraft, context: string | undefined): Problem[] {
  if ((fields.contexts ?? []).length === 0) return [];
  const where = within(location, "contexts");
  return [
    ...(fields.uid === undefined
      ? [problem(where, "requires uid, since a name does not identify a cluster", `print it with: ${READ_UID}`)]
      : []),
    ...(context === undefined
      ? [problem(where, "requires kubernetes:context", "set kubernetes:context to one of the names")]
      : []),
  ];
}
