import { advisoriesOfTraefik } from "../../../config/versions.ts";
import type { Evidence } from "../evidence.ts";
import { seen } from "../observation.ts";
import type { Finding } from "./finding.ts";

/** The Traefik that runs, held against the advisories that nothing here makes up for; the configuration holds the stated one. */
export function traefikVersion({ cluster, settings }: Evidence): Finding | undefined {
  const version = seen(cluster.traefik);
  const [worst] = version === undefined ? [] : advisoriesOfTraefik(version);
  if (version === undefined || worst === undefined) return undefined;
  const [problem, hint] = worst;
  const { namespace, version: stated } = settings.gateway;
  const says = `the image of Traefik's pods in ${namespace} is ${version}; gatehouse:gateway states ${stated ?? "no version"}`;
  return { cause: "version of Traefik", problem, evidence: [says], hint };
}
