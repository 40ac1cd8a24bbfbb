/** Whether a browser accepts an exposure's certificate, and for how long. */
import { errorText } from "../../../config/errors/errorText.ts";
import { once } from "node:events";
import { checkServerIdentity, connect, type PeerCertificate } from "node:tls";
import { lookup } from "../../../infra/loopback.ts";
import type { Exposure } from "../../../infra/plan/types.ts";
import { type Check, check, Unexpected } from "../check.ts";

/** Certificates are renewed weeks before they expire: one with fewer days left is not renewed any more. */
const DAYS_LEFT = 7;
const DAY_MS = 86_400_000;
const TIMEOUT_MS = 10_000;

/**
 * Checks that the chain of a certificate ends at an authority that this machine trusts (NODE_EXTRA_CA_CERTS adds one), and that it is
 * for the host and does not expire soon. Also where TLS is terminated before the gateway: browsers receive that certificate.
 * @param onExpiry receives the expiry
 */
export function checkCertificate(
  { host, url }: Pick<Exposure, "host" | "url">,
  onExpiry: (expires: Date) => void,
  now = new Date(),
): Promise<Check> {
  return check(`certificate of ${host}`, async () => {
    const port = Number(new URL(url).port || 443);
    // The host name is compared below, so that a certificate of another host and an untrusted one have different messages.
    const later = { rejectUnauthorized: false, checkServerIdentity: () => undefined };
    const socket = connect({ host, port, servername: host, lookup, timeout: TIMEOUT_MS, ...later });
    try {
      socket.once("timeout", () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
      await once(socket, "secureConnect");
      const certificate = socket.getPeerCertificate();
      const expires = new Date(certificate.valid_to);
      onExpiry(expires);
      const problem: Error | string | null = socket.authorizationError;
      if (problem) throw new Unexpected("a trusted chain", errorText(problem));
      const wrongHost = checkServerIdentity(host, certificate);
      if (wrongHost) throw new Unexpected(`a certificate for ${host}`, `one for ${namesOf(certificate)}`);
      const left = Math.floor((expires.getTime() - now.getTime()) / DAY_MS);
      if (left < DAYS_LEFT) throw new Unexpected(`at least ${DAYS_LEFT} days left`, `${left}`);
      return `trusted, ${left} days left`;
    } finally {
      socket.destroy();
    }
  });
}

function namesOf({ subjectaltname, subject }: PeerCertificate): string {
  return subjectaltname ?? `CN=${[subject.CN].flat().join(", ")}`;
}
