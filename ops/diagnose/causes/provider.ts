/** What the identity provider holds for an exposure: provider, application, and the outpost that serves them. */
import type { Exposure, OAuthClient } from "../../../infra/plan/types.ts";
import type { Evidence, IdentityRecords } from "../evidence.ts";
import { seen } from "../look.ts";
import { type Cause, type Finding, redeploy } from "./finding.ts";
import { outpostOf } from "./outpost.ts";

export const provider: Cause = (exposure, evidence) => {
  const records = seen(evidence.identity);
  if (records === undefined) return undefined;
  const fault = exposure.application
    ? proxyFault(exposure, evidence, records)
    : clientFault(exposure, evidence, records);
  return fault && { cause: "provider configuration", ...fault };
};

type Fault = Pick<Finding, "fault" | "evidence" | "cure">;

function proxyFault(exposure: Exposure, evidence: Evidence, records: IdentityRecords): Fault | undefined {
  const cure = redeploy(evidence);
  const found = records.proxies.find(({ name }) => name === exposure.id);
  if (found === undefined) {
    const names = `${records.proxies.length} proxy providers, none with that name`;
    return { fault: `provider "${exposure.id}" is missing`, evidence: [`the identity provider has ${names}`], cure };
  }
  const [different] = [
    ["mode", found.mode, "forward_single"],
    ["external_host", withoutSlash(found.externalHost), exposure.url],
    ["cookie_domain", found.cookieDomain, ""],
    ["access_token_validity", found.session, exposure.session ?? found.session],
  ].filter(([, is, planned]) => is !== planned);
  if (different) {
    const [field, is, planned] = different;
    const says = `${field} of provider "${exposure.id}" is "${is}", and the plan says "${planned}"`;
    return { fault: `provider "${exposure.id}" is configured otherwise than planned`, evidence: [says], cure };
  }
  return (
    applicationFault(exposure.application?.slug ?? "", found.id, evidence, records) ??
    attachmentFault(exposure, found.id, evidence)
  );
}

function clientFault(exposure: Exposure, evidence: Evidence, records: IdentityRecords): Fault | undefined {
  const client =
    exposure.protection === "oauth2" && evidence.plan.clients.find(({ service }) => service === exposure.entry);
  if (!client) return undefined;
  const cure = redeploy(evidence);
  const found = records.clients.find(({ name }) => name === client.service);
  if (found === undefined) {
    return {
      fault: `provider "${client.service}" is missing`,
      evidence: [`${records.clients.length} others are there`],
      cure,
    };
  }
  const [missing] = ownUris(client, exposure).filter((uri) => !found.redirectUris.includes(uri));
  if (missing !== undefined) {
    const has = found.redirectUris.join(", ") || "none";
    const fault = `provider "${client.service}" allows no return to ${exposure.url}`;
    return { fault, evidence: [`its redirect URIs are ${has}; ${missing} is not among them`], cure };
  }
  return applicationFault(client.application.slug, found.id, evidence, records);
}

function ownUris({ redirectUris }: OAuthClient, { url }: Exposure): string[] {
  return redirectUris.filter((uri) => uri.startsWith(`${url}/`));
}

/** An outpost serves no provider without an application, and an issuer has the application's slug. */
function applicationFault(
  slug: string,
  id: number,
  evidence: Evidence,
  { applications }: IdentityRecords,
): Fault | undefined {
  const own = applications.find((application) => application.slug === slug);
  if (own?.provider === id) return undefined;
  const cure = redeploy(evidence);
  if (own) {
    const has = own.provider === null ? "none" : `number ${own.provider}`;
    const fault = `application "${slug}" has another provider than its own`;
    return { fault, evidence: [`its provider is ${has}, and not number ${id}`], cure };
  }
  const renamed = applications.find((application) => application.provider === id);
  if (renamed) {
    const says = `the application of that provider has the slug "${renamed.slug}"`;
    return { fault: `the slug of application "${slug}" was changed`, evidence: [says], cure };
  }
  const fault = `application "${slug}" is missing, so no outpost serves its provider`;
  return { fault, evidence: [`none of ${applications.length} applications has that slug`], cure };
}

function attachmentFault(exposure: Exposure, id: number, evidence: Evidence): Fault | undefined {
  const outpost = outpostOf(exposure, evidence);
  if (outpost?.providers.includes(id)) return undefined;
  const cure = redeploy(evidence);
  if (outpost === undefined) {
    return {
      fault: `outpost "${exposure.outpost}" is missing`,
      evidence: ["the identity provider lists no such outpost"],
      cure,
    };
  }
  return {
    fault: `provider "${exposure.id}" is not attached to its outpost`,
    evidence: [`outpost "${outpost.name}" serves ${outpost.providers.length} providers, and not number ${id}`],
    cure,
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}
