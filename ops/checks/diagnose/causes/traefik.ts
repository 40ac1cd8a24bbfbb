import { advisoriesOfTraefik } from "../../../../config/versions.ts";
import type { Evidence } from "../evidence.ts";
import { observed } from "../observation.ts";
import { type CauseFinding, causeOf } from "./cause.ts";

/** Compares the running Traefik with the advisories that Gatehouse does not mitigate; the configuration check compares the stated version. */
export function traefikVersion({ cluster, settings }: Evidence): CauseFinding | undefined {
  const version = observed(cluster.traefik);
  const [worst] = version === undefined ? [] : advisoriesOfTraefik(version);
  if (version === undefined || worst === undefined) return undefined;
  const [message, hint] = worst;
  const { namespace, version: stated } = settings.gateway;
  const evidence = `the image of Traefik's pods in ${namespace} is ${version}; gatehouse:gateway states ${stated ?? "no version"}`;
  return causeOf("version of Traefik", { message, evidence: [evidence], hint });
}
