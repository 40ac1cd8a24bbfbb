/** From evidence to a diagnosis: the causes of each symptom in order, and the first that applies. */
import type { Exposure } from "../../../infra/plan/types.ts";
import { deployment, deploymentOf } from "./causes/deployment.ts";
import { clusterNames, dns } from "./causes/dns.ts";
import { type Cause, type CauseFinding, compareObjects, type ComparedEvidence } from "./causes/cause.ts";
import { groups } from "./causes/groups.ts";
import { openApplication } from "./causes/openApplication.ts";
import { provider } from "./causes/provider.ts";
import { route } from "./causes/route.ts";
import { application, identityProvider } from "./causes/running.ts";
import { whyNotPlanned } from "./causes/unplannedHost.ts";
import { trustedOrigins } from "./causes/trustedOrigins.ts";
import type { Evidence } from "./evidence.ts";
import { unplannedSymptom, type Symptom, type SymptomKind, symptomOf } from "./symptom.ts";
import { unchecked } from "./unchecked.ts";

export interface HostDiagnosis {
  readonly url: string;
  readonly symptom: Symptom;
  /** The first cause that applies, in the order of the symptom. */
  readonly cause: CauseFinding | undefined;
  readonly also: readonly CauseFinding[];
}

export interface Diagnosis {
  readonly context: string;
  readonly stack: string;
  readonly hosts: readonly HostDiagnosis[];
  /** Causes that concern the stack as a whole. */
  readonly stackFindings: readonly CauseFinding[];
  /** What the plan skipped. */
  readonly warnings: readonly string[];
  /** What could not be observed, and what is therefore not checked. */
  readonly limits: readonly string[];
}

const SIGN_IN: readonly Cause[] = [deployment, identityProvider, trustedOrigins, provider, route, dns];

/**
 * As in docs/diagnose.md (Symptoms and causes), each cause after those that it can be a consequence of: a failed deployment leaves wrong routes, and a stopped
 * application is no problem of its route. {@link whyNotPlanned} has those of an unplanned host.
 */
const CAUSES: Readonly<Record<SymptomKind, readonly Cause[]>> = {
  loop: SIGN_IN,
  "sign-in": SIGN_IN,
  unprotected: [deployment, route, openApplication, provider],
  "not-working": [dns, deployment, route, application],
  unavailable: [deployment, identityProvider, application, route],
  access: [deployment, groups, provider],
  // Without a password there was no sign-in, and some problems have no symptom yet.
  none: [deployment, trustedOrigins, provider, route, application, groups, dns],
};

/**
 * Diagnoses the hosts of the plan.
 * @param host default: all; else one, which need not be in the plan
 * @param url the requested URL of a host that is not in the plan
 */
export function diagnosisOf(all: Evidence, host?: string, url = ""): Diagnosis {
  const evidence = compareObjects(all);
  const exposures = evidence.plan.exposures.filter((one) => host === undefined || one.host === host);
  const planned = exposures.map((exposure) => diagnoseExposure(exposure, evidence));
  const hosts = planned.length > 0 || host === undefined ? planned : [diagnoseUnplannedHost(host, url, evidence)];
  const named = new Set(hosts.flatMap(({ cause, also }) => [cause, ...also]).map((finding) => finding?.subject));
  const found = [deploymentOf(evidence), clusterNames(evidence)];
  return {
    context: evidence.context,
    stack: evidence.plan.stack,
    hosts,
    stackFindings: found.filter((finding) => finding !== undefined).filter(({ subject }) => !named.has(subject)),
    warnings: evidence.plan.warnings,
    limits: unchecked(evidence),
  };
}

function diagnoseExposure(exposure: Exposure, evidence: ComparedEvidence): HostDiagnosis {
  const symptom = symptomOf(exposure, evidence);
  const found = CAUSES[symptom.kind].map((cause) => cause(exposure, evidence)).filter((one) => one !== undefined);
  const [cause, ...also] = found;
  return { url: exposure.url, symptom, cause, also };
}

function diagnoseUnplannedHost(host: string, url: string, evidence: Evidence): HostDiagnosis {
  const answers = evidence.answers.get(url);
  const symptom: Symptom = answers
    ? unplannedSymptom(host, answers, evidence)
    : { kind: "not-working", observed: "not requested" };
  const [cause, ...also] = whyNotPlanned(host, symptom.kind, evidence);
  return { url, symptom, cause, also };
}
