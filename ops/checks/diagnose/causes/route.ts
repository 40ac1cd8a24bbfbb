import type { Exposure } from "../../../../infra/plan/types.ts";
import { protectionOf } from "../../../../protections/table.ts";
import { observed } from "../../observation.ts";
import { type Cause, causeOf, type ComparedEvidence, type Problem, redeploy } from "./cause.ts";
import { signInExposure } from "../../../../infra/plan/exposure.ts";

/** Rules of the audit whose findings have another cause than the route. */
const OTHER_CAUSES = ["records-as-planned"];

/** Compares the routes and middlewares of an exposure and of the identity provider with the plan. */
export const route: Cause = (exposure, evidence) =>
  causeOf(
    "route configuration",
    difference(exposure.host, evidence) ?? missingSecret(exposure, evidence) ?? identityRoute(exposure, evidence),
  );

function difference(host: string, { differences }: ComparedEvidence): Problem | undefined {
  const own = differences.filter(({ hosts, rule }) => hosts.includes(host) && !OTHER_CAUSES.includes(rule));
  const [first, ...others] = own;
  if (first === undefined) return undefined;
  const more = others.map(({ subject, message }) => `${subject} ${message}`);
  const evidence = [...first.evidence, ...more];
  return {
    message: `${first.subject} ${first.message}`,
    evidence: evidence.length > 0 ? evidence : [`the plan has it for ${host}`],
    hint: first.hint,
  };
}

function missingSecret({ id }: Exposure, evidence: ComparedEvidence): Problem | undefined {
  const { plan, cluster } = evidence;
  const secrets = observed(cluster.secrets);
  const used = plan.routes.flatMap(({ namespace, rules }) =>
    rules.flatMap(({ exposure, middlewares }) =>
      exposure === id ? middlewares.map((name) => `${namespace}/${name}`) : [],
    ),
  );
  const missing = plan.middlewares
    .filter(({ kind }) => kind === "basic-auth")
    .map(({ namespace, name }) => `${namespace}/${name}`)
    .find((name) => used.includes(name) && secrets?.has(name) === false);
  if (missing === undefined) return undefined;
  const message = `the Secret with the password of Middleware ${missing} is missing, so Traefik drops its routes`;
  return { message, evidence: [`Secret ${missing} does not exist`], hint: redeploy(evidence) };
}

/** Returns what is wrong with the route of the identity provider, whose host a sign-in uses, too. */
function identityRoute(exposure: Exposure, evidence: ComparedEvidence): Problem | undefined {
  if (!protectionOf(exposure.protection).usesIdentityProvider) return undefined;
  const { exposures, identityProviderUrl } = evidence.plan;
  const own = signInExposure(exposures, identityProviderUrl);
  return own && difference(own.host, evidence);
}
