/** What the identity provider has for an exposure: provider, application, and the outpost that serves them. */
import { type ForwardedExposure, isForwarded } from "../../../../infra/plan/exposure.ts";
import { providerOf } from "../../../../infra/plan/outposts.ts";
import type { Exposure } from "../../../../infra/plan/types.ts";
import { NO_OPEN_PATHS } from "../../../../protections/forwardAuth.ts";
import type { ProxyRecord } from "../../../clients/identityRecords.ts";
import type { ObservedRecords } from "../evidence/identity.ts";
import { observed } from "../../observation.ts";
import { type Cause, causeFrom, type ComparedEvidence, redeploy, type Statement } from "./cause.ts";

export const provider: Cause = (exposure, evidence) => {
  const records = observed(evidence.identity);
  if (records === undefined) return undefined;
  const [found, hint = redeploy(evidence)] = isForwarded(exposure)
    ? proxyDifference(exposure, evidence, records)
    : [clientDifference(exposure, evidence, records)];
  return causeFrom("provider configuration", found, hint);
};

type Difference = readonly [found: Statement | undefined, hint?: string];

function proxyDifference(
  exposure: ForwardedExposure,
  evidence: ComparedEvidence,
  records: ObservedRecords,
): Difference {
  const own = providerOf(exposure);
  const found = records.proxies.find(({ name }) => name === own);
  if (found === undefined) {
    const others = `${records.proxies.length} proxy providers, none with that name`;
    return [[`provider "${own}" is missing`, `the identity provider has ${others}`]];
  }
  const different = differentFields(exposure, found);
  if (different.length === 0) {
    const { slug } = exposure.application;
    return [applicationDifference(slug, found.pk, records) ?? outpostDifference(exposure, found.pk, records)];
  }
  const values = different.map(
    ({ field, actual, planned }) =>
      `${field} of provider "${own}" is ${JSON.stringify(actual)}, planned: ${JSON.stringify(planned)}`,
  );
  // The Terraform provider sends no empty values, and authentik keeps a field that is left out (docs/authentik.md).
  const isEmpty = ({ field }: (typeof different)[number]): boolean => field === "cookie_domain";
  const hints = [
    ...(different.some(isEmpty)
      ? [`in authentik, empty cookie_domain of provider "${own}", which --refresh leaves as it is`]
      : []),
    ...(different.every(isEmpty) ? [] : [redeploy(evidence)]),
  ];
  return [[`provider "${own}" differs from the plan`, ...values], hints.join("; then ")];
}

function differentFields({ url, session }: ForwardedExposure, found: ProxyRecord) {
  const planned = {
    mode: "forward_single",
    external_host: url,
    access_token_validity: session ?? found.access_token_validity,
    skip_path_regex: NO_OPEN_PATHS,
    cookie_domain: "",
  };
  const actual = { ...found, external_host: found.external_host.replace(/\/$/, "") };
  const fields = Object.keys(planned) as (keyof typeof planned)[];
  return fields
    .filter((field) => planned[field] !== actual[field])
    .map((field) => ({ field, actual: actual[field], planned: planned[field] }));
}

function clientDifference(
  { entry, url }: Exposure,
  { plan }: ComparedEvidence,
  records: ObservedRecords,
): Statement | undefined {
  const client = plan.clients.find(({ service }) => service === entry);
  if (!client) return undefined;
  const { slug } = client.application;
  const found = records.clients.find(({ name }) => name === slug);
  if (found === undefined) {
    return [`provider "${slug}" is missing`, `${records.clients.length} other OAuth2 providers exist`];
  }
  const uris = found.redirect_uris.map((uri) => uri.url);
  const missing = client.redirectUris.find((uri) => uri.startsWith(`${url}/`) && !uris.includes(uri));
  if (missing !== undefined) {
    const has = `its redirect URIs are ${uris.join(", ") || "none"}; ${missing} is not among them`;
    return [`provider "${slug}" has no redirect URI on ${url}`, has];
  }
  return applicationDifference(slug, found.pk, records);
}

/** Returns how the application of a provider differs: an outpost serves no provider without one, and an issuer has its slug. */
function applicationDifference(slug: string, pk: number, { applications }: ObservedRecords): Statement | undefined {
  const own = applications.find((application) => application.slug === slug);
  if (own?.provider === pk) return undefined;
  if (own) {
    const has = own.provider == null ? "none" : `number ${own.provider}`;
    return [`application "${slug}" has another provider than its own`, `its provider is ${has}, and not number ${pk}`];
  }
  const renamed = applications.find((application) => application.provider === pk);
  if (renamed) {
    const other = `the application of that provider has the slug "${renamed.slug}"`;
    return [`the slug of application "${slug}" was changed`, other];
  }
  const none = `none of ${applications.length} applications has that slug`;
  return [`application "${slug}" is missing, so no outpost serves its provider`, none];
}

function outpostDifference(
  exposure: ForwardedExposure,
  pk: number,
  { outposts }: ObservedRecords,
): Statement | undefined {
  const found = outposts.find(({ name }) => name === exposure.outpost);
  if (found === undefined)
    return [`outpost "${exposure.outpost}" is missing`, "the identity provider lists no such outpost"];
  if (found.providers.includes(pk)) return undefined;
  return [
    `provider "${providerOf(exposure)}" is not attached to its outpost`,
    `outpost "${found.name}" serves ${found.providers.length} providers, and not number ${pk}`,
  ];
}
