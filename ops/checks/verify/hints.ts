/** What to do about a failed check of `verify`, by its kind. */

interface Failed {
  /** Host of an exposure, or the subject's own name. */
  readonly subject: string;
  readonly context: string;
}

const diagnose = ({ subject, context }: Failed): string => `run: npx gatehouse diagnose ${context} ${subject}`;

/** Kinds of checks in the order of reports, each with the hint of a failed one. */
const HINTS = {
  routes: diagnose,
  "sign-in": diagnose,
  spoofs: ({ context }: Failed) =>
    `run: npx gatehouse audit ${context}, which names what differs from the plan; until this check passes, trust no identity header there`,
  dns: diagnose,
  certificates: ({ subject }: Failed) =>
    `check what terminates TLS for ${subject} (domains.<kind>.tls); a private authority is trusted with NODE_EXTRA_CA_CERTS=FILE`,
  domains: ({ context }: Failed) => `find unmanaged routes: npx gatehouse audit ${context}`,
  "data-api": ({ context }: Failed) =>
    `run: npx gatehouse deploy ${context} --refresh, then check the pods of the data API`,
  catalog: ({ context }: Failed) =>
    `run: npx gatehouse deploy ${context} --refresh, then check the pods of the catalog`,
  database: ({ context }: Failed) =>
    `run: npx gatehouse deploy ${context} --refresh, which restores roles and the grants of tables; for a view, run the statement that the check prints; npx gatehouse contract check prints all breaking changes`,
  cluster: ({ context }: Failed) =>
    `kubectl --context ${context} get pods --all-namespaces, and describe those that are not ready`,
  audit: ({ context }: Failed) => `run: npx gatehouse audit ${context}`,
} as const;

export type Kind = keyof typeof HINTS;
export const KINDS = Object.keys(HINTS) as readonly Kind[];

/**
 * Returns what to do about a failed check.
 * @param subject an origin, or a name
 * @param context the cluster context of the commands in it
 */
export function hintOf({ kind, subject }: { readonly kind: Kind; readonly subject: string }, context: string): string {
  return HINTS[kind]({ subject: URL.parse(subject)?.hostname || subject, context });
}
