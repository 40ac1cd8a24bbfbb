/** What to do about a failed check of `verify`, by its kind. */
import type { StackContext } from "../../context/context.ts";
import { argument } from "../../text.ts";

/** The names are arguments of a shell. */
interface Failed {
  /** Host of an exposure, or the subject's own name. */
  readonly subject: string;
  readonly context: string;
  readonly given: string;
}

const diagnose = ({ subject, given }: Failed): string => `run: npx gatehouse diagnose ${given} ${subject}`;

/** Kinds of checks in the order of reports, each with the hint of a failed one. */
const HINTS = {
  routes: diagnose,
  "sign-in": diagnose,
  spoofs: ({ given }: Failed) =>
    `run: npx gatehouse audit ${given}, which names what differs from the plan; until this check passes, trust no identity header there`,
  dns: diagnose,
  certificates: ({ subject }: Failed) =>
    `check what terminates TLS for ${subject} (domains.<kind>.tls); a private authority is trusted with NODE_EXTRA_CA_CERTS=FILE`,
  domains: ({ given }: Failed) => `find unmanaged routes: npx gatehouse audit ${given}`,
  "data-api": ({ given }: Failed) =>
    `run: npx gatehouse deploy ${given} --refresh, then check the pods of the data API`,
  catalog: ({ given }: Failed) => `run: npx gatehouse deploy ${given} --refresh, then check the pods of the catalog`,
  database: ({ given }: Failed) =>
    `run: npx gatehouse deploy ${given} --refresh, which restores roles and the grants of tables; for a view, run the statement that the check prints; npx gatehouse contract check prints all breaking changes`,
  cluster: ({ context }: Failed) =>
    `kubectl --context ${context} get pods --all-namespaces, and describe those that are not ready`,
  audit: ({ given }: Failed) => `run: npx gatehouse audit ${given}`,
} as const;

export type Kind = keyof typeof HINTS;
export const KINDS = Object.keys(HINTS) as readonly Kind[];

/**
 * Returns what to do about a failed check.
 * @param subject an origin, or a name
 * @param target the cluster of the commands in it
 */
export function hintOf(
  { kind, subject }: { readonly kind: Kind; readonly subject: string },
  { context, given }: Pick<StackContext, "context" | "given">,
): string {
  const names = { context: argument(context), given: argument(given) };
  return HINTS[kind]({ subject: URL.parse(subject)?.hostname || subject, ...names });
}
