/** TLS as libpq understands `sslmode`. Repeats `infra/postgres/tls.ts`: no emulator imports code of Gatehouse (README.md, "Dependencies"). */
import { existsSync, readFileSync } from "node:fs";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";

/** Modes of libpq that encrypt always or never. */
export const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;

/**
 * Returns the option `ssl` of a node-postgres client for a `sslmode` of libpq.
 * @param ca text of the root certificates; undefined = those of Node.js
 * @param host that the client connects to; node-postgres passes on no IP address
 */
export function tlsOptions(
  sslmode: (typeof SSL_MODES)[number],
  ca: string | undefined,
  host: string,
): ConnectionOptions | false {
  if (sslmode === "disable") return false;
  if (sslmode === "require") return { rejectUnauthorized: false };
  const verifiesHost = sslmode === "verify-full";
  return { ca, checkServerIdentity: (_, peer) => (verifiesHost ? checkServerIdentity(host, peer) : undefined) };
}

/**
 * Returns the TLS options of a program that emulates a client of libpq.
 * @param sslmode as in libpq; `allow`, `prefer` and undefined connect without TLS here
 * @param file path of the root certificates (`sslrootcert`)
 * @throws Error, as libpq does, when sslmode verifies the certificate and the file does not exist
 */
export function libpqTls(
  sslmode: string | undefined,
  file: string | undefined,
  host: string,
): ConnectionOptions | false {
  const mode = SSL_MODES.find((one) => one === sslmode) ?? "disable";
  if (!mode.startsWith("verify-")) return tlsOptions(mode, undefined, host);
  const path = file || "~/.postgresql/root.crt";
  if (!existsSync(path)) throw new Error(`root certificate file "${path}" does not exist`);
  return tlsOptions(mode, readFileSync(path, "utf8"), host);
}
