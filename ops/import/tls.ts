/** The TLS of routes, as a domain kind has it. */
import type { Tls } from "../../config/sections/domains/domains.ts";
import { at, fieldsOf, listOf, type Manifest, textAt, type Value } from "../../manifests/resource.ts";

export interface RouteTls {
  readonly tls: Tls;
  /** Why a domain kind has no equivalent. */
  readonly problems: readonly string[];
}

/** Returns the TLS in the field `tls` of an IngressRoute. */
export function readTls(value: Value): RouteTls {
  const [resolver, secret] = [textAt(value, "certResolver"), textAt(value, "secretName")];
  const others = Object.keys(fieldsOf(value)).filter((key) => !["certResolver", "secretName", "domains"].includes(key));
  const problems = others.map((key) => `its tls.${key} has no equivalent (it can demand client certificates)`);
  if (resolver !== undefined) return { tls: { termination: "resolver", name: resolver }, problems };
  return { tls: secret === undefined ? { termination: "default" } : { termination: "secret", name: secret }, problems };
}

/** Returns the TLS that annotations of an Ingress enable. @param annotation value by its name behind `router.` */
export function annotatedTls(annotation: (name: string) => string | undefined): RouteTls | undefined {
  const certResolver = annotation("tls.certresolver");
  if (certResolver !== undefined) return readTls({ certResolver });
  return annotation("tls") === "true" ? readTls({}) : undefined;
}

/** Returns the certificate of an Ingress for a host. Traefik uses it if an annotation or the entry point enables TLS. */
export function certificateFor({ spec }: Manifest, host: string | undefined): Tls | undefined {
  const own = listOf(spec["tls"]).find((tls) => listOf(at(tls, "hosts")).some((one) => one === host));
  const name = textAt(own, "secretName");
  return name === undefined ? undefined : { termination: "secret", name };
}
