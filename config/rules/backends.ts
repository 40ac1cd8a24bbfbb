/** Warns of backends that Traefik cannot reach. */
import { formatLocation, within } from "../errors/location.ts";
import type { Drafts } from "../sections/sections.ts";

/** Traefik's CRD provider decides the protocol by the port (`loadServers`). */
const HTTPS_PORT = 443;

/** Warns of backends to which Traefik's requests fail: those of port 443. */
export function backendWarnings({ services }: Pick<Drafts, "services">): string[] {
  return services
    .filter(({ fields: { service } }) => service?.port === HTTPS_PORT)
    .map(({ location }) => {
      const at = formatLocation(within(location, "service", "port"));
      return `${at}: Traefik sends HTTPS to port 443, and verifies the certificate for the address of the Service. Use a port for HTTP.`;
    });
}
