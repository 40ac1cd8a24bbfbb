/** What the identity provider holds for an exposure: provider, application, and the outpost that serves them. */
import type { Exposure, OAuthClient } from "../../../../infra/plan/types.ts";
import type { Evidence, IdentityRecords } from "../evidence.ts";
import { seen } from "../observation.ts";
import { type Cause, type Finding, redeploy } from "./finding.ts";
import { outpostOf } from "./outpost.ts";

export const provider: Cause = (exposure, evidence) => {
  const records = seen(evidence.identity);
  if (records === undefined) return undefined;
  const problem = exposure.application
    ? proxyProblem(exposure, evidence, records)
    : clientProblem(exposure, evidence, records);
  return problem && { cause: "provider configuration", ...problem };
};

type Problem = Pick<Finding, "problem" | "evidence" | "hint">;

function proxyProblem(exposure: Exposure, evidence: Evidence, records: IdentityRecords): Problem | undefined {
  const hint = redeploy(evidence);
  const found = records.proxies.find(({ name }) => name === exposure.id);
  if (found === undefined) {
    const names = `${records.proxies.length} proxy providers, none with that name`;
    return { problem: `provider "${exposure.id}" is missing`, evidence: [`the identity provider has ${names}`], hint };
  }
  const [different] = [
    ["mode", found.mode, "forward_single"],
    ["external_host", withoutSlash(found.externalHost), exposure.url],
    ["cookie_domain", found.cookieDomain, ""],
    ["access_token_validity", found.session, exposure.session ?? found.session],
  ].filter(([, is, planned]) => is !== planned);
  if (different) {
    const [field, is, planned] = different;
    const says = `${field} of provider "${exposure.id}" is "${is}", planned: "${planned}"`;
    return { problem: `provider "${exposure.id}" differs from the plan`, evidence: [says], hint };
  }
  return (
    applicationProblem(exposure.application?.slug ?? "", found.id, evidence, records) ??
    attachmentProblem(exposure, found.id, evidence)
  );
}

function clientProblem(exposure: Exposure, evidence: Evidence, records: IdentityRecords): Problem | undefined {
  const client = evidence.plan.clients.find(({ service }) => service === exposure.entry);
  if (!client) return undefined;
  const hint = redeploy(evidence);
  const found = records.clients.find(({ name }) => name === client.service);
  if (found === undefined) {
    return {
      problem: `provider "${client.service}" is missing`,
      evidence: [`${records.clients.length} other OAuth2 providers exist`],
      hint,
    };
  }
  const [missing] = ownUris(client, exposure).filter((uri) => !found.redirectUris.includes(uri));
  if (missing !== undefined) {
    const has = found.redirectUris.join(", ") || "none";
    const problem = `provider "${client.service}" has no redirect URI on ${exposure.url}`;
    return { problem, evidence: [`its redirect URIs are ${has}; ${missing} is not among them`], hint };
  }
  return applicationProblem(client.application.slug, found.id, evidence, records);
}

function ownUris({ redirectUris }: OAuthClient, { url }: Exposure): string[] {
  return redirectUris.filter((uri) => uri.startsWith(`${url}/`));
}

/** An outpost serves no provider without an application, and an issuer has the application's slug. */
function applicationProblem(
  slug: string,
  id: number,
  evidence: Evidence,
  { applications }: IdentityRecords,
): Problem | undefined {
  const own = applications.find((application) => application.slug === slug);
  if (own?.provider === id) return undefined;
  const hint = redeploy(evidence);
  if (own) {
    const has = own.provider === null ? "none" : `number ${own.provider}`;
    const problem = `application "${slug}" has another provider than its own`;
    return { problem, evidence: [`its provider is ${has}, and not number ${id}`], hint };
  }
  const renamed = applications.find((application) => application.provider === id);
  if (renamed) {
    const says = `the application of that provider has the slug "${renamed.slug}"`;
    return { problem: `the slug of application "${slug}" was changed`, evidence: [says], hint };
  }
  const problem = `application "${slug}" is missing, so no outpost serves its provider`;
  return { problem, evidence: [`none of ${applications.length} applications has that slug`], hint };
}

function attachmentProblem(exposure: Exposure, id: number, evidence: Evidence): Problem | undefined {
  const outpost = outpostOf(exposure, evidence);
  if (outpost?.providers.includes(id)) return undefined;
  const hint = redeploy(evidence);
  if (outpost === undefined) {
    return {
      problem: `outpost "${exposure.outpost}" is missing`,
      evidence: ["the identity provider lists no such outpost"],
      hint,
    };
  }
  return {
    problem: `provider "${exposure.id}" is not attached to its outpost`,
    evidence: [`outpost "${outpost.name}" serves ${outpost.providers.length} providers, and not number ${id}`],
    hint,
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}
