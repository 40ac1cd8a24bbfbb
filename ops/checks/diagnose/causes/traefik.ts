import { advisoriesOfTraefik } from "../../../../config/versions.ts";
import type { Evidence } from "../evidence.ts";
import { seen } from "../observation.ts";
import type { Finding } from "./finding.ts";

/** Compares the running Traefik with the advisories that Gatehouse does not mitigate; the configuration check compares the stated version. */
export function traefikVersion({ cluster, settings }: Evidence): Finding | undefined {
  const version = seen(cluster.traefik);
  const [worst] = version === undefined ? [] : advisoriesOfTraefik(version);
  if (version === undefined || worst === undefined) return undefined;
  const [problem, hint] = worst;
  const { namespace, version: stated } = settings.gateway;
  const says = `the image of Traefik's pods in ${namespace} is ${version}; gatehouse:gateway states ${stated ?? "no version"}`;
  return { cause: "version of Traefik", problem, evidence: [says], hint };
}
