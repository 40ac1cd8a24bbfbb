/** What to do about a check that failed. */
import type { Kind, Result } from "./probe.ts";

/** @param context named in the commands */
export function hintOf(result: Pick<Result, "kind" | "subject">, context: string): string {
  return HINTS[result.kind]({ subject: hostOf(result.subject), context });
}

interface Failed {
  /** Host of an exposure, or the subject's own name. */
  readonly subject: string;
  readonly context: string;
}

const diagnose = ({ subject, context }: Failed): string => `run: npm run diagnose -- ${context} ${subject}`;

const HINTS: Readonly<Record<Kind, (failed: Failed) => string>> = {
  routes: diagnose,
  "sign-in": diagnose,
  dns: diagnose,
  spoofs: ({ context }) =>
    `deploy again, so that the route has its strip (./deploy ${context}); until then, trust no identity header there`,
  certificates: ({ subject }) =>
    `see what serves TLS for ${subject} (domains.<kind>.tls); an authority of your own is trusted by NODE_EXTRA_CA_CERTS=FILE`,
  domains: ({ context }) => `look for a route that is not the stack's: npm run audit -- ${context}`,
  "data-api": ({ context }) => `deploy again (./deploy ${context}), then look at the pods of the data API`,
  catalog: ({ context }) => `deploy again (./deploy ${context}), then look at the pods of the catalogue`,
  database: ({ context }) =>
    `deploy again (./deploy ${context}); npm run contract -- check prints all breaking changes`,
  audit: ({ context }) => `run: npm run audit -- ${context}`,
  cluster: ({ context }) =>
    `kubectl --context ${context} get pods --all-namespaces, and describe those that are not ready`,
};

function hostOf(subject: string): string {
  return URL.parse(subject)?.hostname || subject;
}
