import type { Backend } from "../../config/sections/protectedServices/backend.ts";
import { serviceNamed } from "../clients/services.ts";
import { at, fieldsOf, listOf, type Manifest, textAt, type Value } from "../../manifests/resource.ts";

/** Fields of a service of Traefik that change nothing for one backend over HTTP. */
const SERVICE_FIELDS = new Set([
  "name",
  "namespace",
  "port",
  "kind",
  "weight",
  "passHostHeader",
  "scheme",
  "responseForwarding",
  "nativeLB",
]);

/**
 * Returns the one Kubernetes Service of a rule, or why it cannot be the `service` of an entry.
 * @param services as in an IngressRoute
 * @param namespace that of the object
 */
export function readBackend(services: readonly Value[], namespace: string, manifests: readonly Manifest[]) {
  const [service, ...others] = services;
  if (service === undefined) return refused("its rule has no service");
  if (others.length > 0) return refused(`its rule has ${services.length} services, and an entry has one`);
  const name = textAt(service, "name");
  const space = textAt(service, "namespace") ?? namespace;
  if (name === undefined || (textAt(service, "kind") ?? "Service") !== "Service") {
    return refused(`its backend ${name ?? ""} is no Kubernetes Service`);
  }
  const problems = fieldProblems(service);
  const manifest = serviceNamed({ namespace: space, name }, manifests);
  if (manifest === undefined) return refused(`its Service ${space}/${name} does not exist`);
  if (textAt(manifest.spec, "type") === "ExternalName")
    return refused(`its Service ${space}/${name} is an ExternalName`);
  const ports = listOf(manifest.spec["ports"]);
  const wanted = at(service, "port");
  const found = ports.find((port) => at(port, "port") === wanted || textAt(port, "name") === String(wanted));
  const port = at(found, "port");
  if (typeof port !== "number") return refused(`its Service ${space}/${name} has no port ${String(wanted)}`);
  // Traefik's provider reads the scheme of a backend from its port (kubernetes/crd, parseServiceProtocol).
  const isTls = port === 443 || textAt(found, "name")?.startsWith("https") === true;
  const scheme = isTls ? [`its backend ${space}/${name}:${port} is reached over HTTPS`] : [];
  const all = [...problems, ...scheme];
  const backend: Backend | undefined = all.length > 0 ? undefined : { name, namespace: space, port };
  return { backend, problems: all };
}

function refused(problem: string) {
  return { backend: undefined, problems: [problem] };
}

function fieldProblems(service: Value): string[] {
  const others = Object.keys(fieldsOf(service)).filter((field) => !SERVICE_FIELDS.has(field));
  const scheme = textAt(service, "scheme") ?? "http";
  return [
    ...others.map((field) => `its service has the field ${field}, which has no equivalent`),
    ...(scheme === "http" ? [] : [`its backend is reached over ${scheme}`]),
    ...(at(service, "passHostHeader") === false ? ["its service does not pass the host (passHostHeader: false)"] : []),
  ];
}
