/** The list of trusted origins against cross-site request forgery: what the identity provider takes for its own origin, and sends browsers to. */
import type { Exposure } from "../../../../infra/plan/types.ts";
import { protectionOf } from "../../../../protections/table.ts";
import type { Evidence } from "../evidence.ts";
import { seen } from "../observation.ts";
import { type Cause, redeploy } from "./finding.ts";
import { outpostOf } from "./outpost.ts";

/** authentik's own setting, and where its documentation has it. */
const LIST = "AUTHENTIK_LISTEN__TRUSTED_PROXY_CIDRS";

export const trustedOrigins: Cause = (exposure, evidence) => {
  const { identityProviderUrl } = evidence.plan;
  if (identityProviderUrl === undefined || !protectionOf(exposure.protection).usesIdentityProvider) return undefined;
  const { origin } = new URL(identityProviderUrl);
  return (
    wrongOwnOrigin(evidence, origin) ??
    refusedOrigin(exposure, evidence, origin) ??
    wrongHost(exposure, evidence, origin)
  );
};

/** Host or X-Forwarded-Proto did not arrive as the browser knows them, or were not believed. */
function wrongOwnOrigin(evidence: Evidence, origin: string): ReturnType<Cause> {
  const own = seen(evidence.ownOrigin);
  if (own === undefined || own === origin) return undefined;
  return {
    cause: "trusted origins",
    problem: `the identity provider has the origin ${own}, but browsers use ${origin}: it refuses their logins`,
    evidence: [`its issuer, asked at ${origin}, begins with ${own}`, ...listed(evidence)],
    hint: `configure the gateway to pass Host and X-Forwarded-Proto unchanged, and add the gateway's address to ${LIST}; ${redeploy(evidence)}`,
  };
}

function refusedOrigin({ url }: Exposure, evidence: Evidence, origin: string): ReturnType<Cause> {
  const answers = evidence.answers.get(url);
  if (answers?.withSession?.trail.text !== "refused: origin") return undefined;
  return {
    cause: "trusted origins",
    problem: `the identity provider refuses requests of a browser on ${origin}: CSRF Failed`,
    evidence: [`403 "CSRF Failed" to ${answers.withSession.username} with Origin: ${origin}`, ...listed(evidence)],
    hint: `add the gateway's address to ${LIST} of the server, and configure the gateway to pass Host and X-Forwarded-Proto unchanged; ${redeploy(evidence)}`,
  };
}

/** An outpost sends browsers to what its `authentik_host` says (authentik/README 6.5). */
function wrongHost(exposure: Exposure, evidence: Evidence, origin: string): ReturnType<Cause> {
  const outpost = outpostOf(exposure, evidence);
  if (outpost === undefined || URL.parse(outpost.authentikHost)?.origin === origin) return undefined;
  const host = outpost.authentikHost === "" ? "empty, which means http://localhost" : outpost.authentikHost;
  return {
    cause: "trusted origins",
    problem: `the outpost redirects to another origin than ${origin}`,
    evidence: [`authentik_host of outpost "${outpost.name}" is ${host}`],
    hint: redeploy(evidence),
  };
}

function listed({ cluster }: Evidence): string[] {
  return (seen(cluster.serverSettings) ?? []).flatMap(({ deployment, trustedProxies }) =>
    trustedProxies === undefined ? [] : [`${LIST} of ${deployment} is ${trustedProxies}`],
  );
}
