/** The verification job in the cluster. */
import { z } from "zod";
import type { Draft } from "../schema/draft.ts";
import { label, text } from "../schema/fields.ts";
import { within } from "../errors/location.ts";
import { type Problem, problem } from "../errors/problems.ts";
import type { Resolved } from "../schema/resolve.ts";
import type { Section } from "./section.ts";
import type { IdentityProviderDraft } from "./identityProvider/identityProvider.ts";

/** @param number of a field, as a regular expression */
function field(number: string): string {
  const item = String.raw`(\*|(${number})(-(${number}))?)(/[1-9]\d*)?`;
  return `${item}(,${item})*`;
}
/** Minute, hour, day of the month, month and day of the week, as Kubernetes reads them. */
const FIELDS = ["[0-5]?[0-9]", "1?[0-9]|2[0-3]", "[1-9]|[12][0-9]|3[01]", "[1-9]|1[0-2]", "[0-6]"].map(field);
const SCHEDULE = new RegExp(`^${FIELDS.join(" ")}$`);

const schema = z.strictObject({
  schedule: text(SCHEDULE, "a schedule of five fields", 'write it like "17 * * * *", in quotes')
    .refine((schedule) => [...schedule.matchAll(/(\d+)-(\d+)/g)].every(([, from, to]) => Number(from) <= Number(to)), {
      error: "ranges from the lower number to the higher one; write it like 8-18",
    })
    .default("17 * * * *")
    .describe("Schedule of the CronJob, in the time zone of the cluster's controller manager, usually UTC."),
  namespace: label().default("gatehouse-verification").describe("Namespace of the CronJob; the stack creates it."),
  account: label()
    .optional()
    .describe(
      "Entry of `identity_provider.service_accounts` that signs in; its `namespace` must be the same. Without it, sign-in checks are skipped.",
    ),
  pushgateway: text(
    /^https?:\/\/(?!.*:0+(\/|$))[^\s@?#]+$/,
    "an address without user, password and port 0",
    "write it like http://pushgateway.monitoring:9091",
  )
    .optional()
    .describe("Prometheus Pushgateway that receives the metrics. Without it, the results are in the log only."),
});

export const verification = {
  schema,
  description: "A CronJob that verifies the deployment from inside the cluster.",
  example: `
gatehouse:verification: { account: verifier, pushgateway: "http://pushgateway.monitoring:9091" }
`,
  text: `
Without the section there is no CronJob. \`namespace\` must not be that of another section. See [verification in the cluster](verify.md#in-the-cluster).
`,
} satisfies Section;

export type VerificationDraft = Draft<z.output<typeof schema>>;
export type Verification = Resolved<z.output<typeof schema>>;

interface Drafts {
  readonly verification: VerificationDraft | undefined;
  readonly identityProvider: IdentityProviderDraft | undefined;
}

/** Checks that the account exists, and that its Secret is in the namespace of the job. */
export function verificationRules({ verification: draft, identityProvider }: Drafts): Problem[] {
  if (draft === undefined) return [];
  const { account, namespace } = draft.fields;
  const found: Problem[] = [];
  if (account === undefined || namespace === undefined || identityProvider === undefined) return found;
  const where = within(draft.location, "account");
  const known = identityProvider.fields.service_accounts ?? [];
  const serviceAccount = known.find(({ name }) => name === account);
  if (serviceAccount === undefined) {
    const hint = `add { name: ${account}, namespace: ${namespace} } there`;
    found.push(problem(where, `"${account}" is not in identity_provider.service_accounts`, hint));
  } else if (serviceAccount.namespace !== namespace) {
    const message = `its Secret is in namespace "${serviceAccount.namespace}", but the job runs in "${namespace}"`;
    found.push(problem(where, message, `set namespace: ${namespace} for that service account`));
  }
  return found;
}
