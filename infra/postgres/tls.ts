import { checkServerIdentity, type ConnectionOptions } from "node:tls";
import type { PostgresServer } from "../../config/settings.ts";

/** Encryption of a connection to a server, and the root certificate that verifies the server's. */
export type Encryption = Pick<PostgresServer, "sslmode"> & Partial<Pick<PostgresServer, "sslrootcert">>;

/**
 * Returns the option `ssl` of a node-postgres client, with the meaning that libpq gives to `sslmode` (libpq, "SSL Support"). Without
 * `sslrootcert` the authorities are those of Node.js (NODE_EXTRA_CA_CERTS).
 * @param host that the client connects to. node-postgres passes on no IP address, and Node.js then expects a certificate for `localhost`.
 */
export function tlsOptions({ sslmode, sslrootcert: ca }: Encryption, host: string): ConnectionOptions | false {
  switch (sslmode) {
    case "disable":
      return false;
    case "require":
      return { rejectUnauthorized: false };
    case "verify-ca":
      return { ca, rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case "verify-full":
      return { ca, rejectUnauthorized: true, checkServerIdentity: (_, peer) => checkServerIdentity(host, peer) };
  }
}
