/** The origin that the identity provider takes for its own, and the one that outposts redirect browsers to. */
import type { Exposure } from "../../../../infra/plan/types.ts";
import { protectionOf } from "../../../../protections/table.ts";
import { observed } from "../../observation.ts";
import { type Cause, causeOf, type ComparedEvidence, type Problem, redeploy } from "./cause.ts";

/** The setting of authentik with the networks whose `X-Forwarded-*` count. */
const TRUSTED_PROXIES = "AUTHENTIK_LISTEN__TRUSTED_PROXY_CIDRS";

export const trustedOrigins: Cause = (exposure, evidence) => {
  const { identityProviderUrl } = evidence.plan;
  if (identityProviderUrl === undefined || !protectionOf(exposure.protection).usesIdentityProvider) return undefined;
  const { origin } = new URL(identityProviderUrl);
  const problem =
    wrongOwnOrigin(evidence, origin) ??
    refusedOrigin(exposure, evidence, origin) ??
    wrongHost(exposure, evidence, origin);
  return causeOf("trusted origins", problem);
};

/** Returns the problem if Host or X-Forwarded-Proto did not arrive as the browser sent them, or were not trusted. */
function wrongOwnOrigin(evidence: ComparedEvidence, origin: string): Problem | undefined {
  const own = observed(evidence.ownOrigin);
  if (own === undefined || own === origin) return undefined;
  return {
    message: `the identity provider has the origin ${own}, but browsers use ${origin}: it refuses their logins`,
    evidence: [`its issuer, requested at ${origin}, begins with ${own}`],
    hint: `configure the gateway to pass Host and X-Forwarded-Proto unchanged, and add the gateway's address to ${TRUSTED_PROXIES}; ${redeploy(evidence)}`,
  };
}

function refusedOrigin({ url }: Exposure, evidence: ComparedEvidence, origin: string): Problem | undefined {
  const session = evidence.answers.get(url)?.withSession;
  if (session?.trail.text !== "refused: origin") return undefined;
  return {
    message: `the identity provider refuses requests of a browser on ${origin}: CSRF Failed`,
    evidence: [`403 "CSRF Failed" to ${session.username} with Origin: ${origin}`],
    hint: `add the gateway's address to ${TRUSTED_PROXIES} of the server, and configure the gateway to pass Host and X-Forwarded-Proto unchanged; ${redeploy(evidence)}`,
  };
}

/** Returns the problem of an outpost whose `authentik_host`, to which it redirects browsers, is not the identity provider. */
function wrongHost({ outpost }: Exposure, evidence: ComparedEvidence, origin: string): Problem | undefined {
  const found = observed(evidence.identity)?.outposts.find(({ name }) => name === outpost);
  if (found === undefined || URL.parse(found.config.authentik_host)?.origin === origin) return undefined;
  const host = found.config.authentik_host || "empty, which means http://localhost";
  return {
    message: `the outpost redirects to another origin than ${origin}`,
    evidence: [`authentik_host of outpost "${found.name}" is ${host}`],
    hint: redeploy(evidence),
  };
}
