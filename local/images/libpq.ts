import { existsSync, readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { SSL_MODES } from "../../config/sslModes.ts";
import { tlsOptions } from "../../infra/postgres/tls.ts";

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
  if (!mode.startsWith("verify-")) return tlsOptions({ sslmode: mode }, host);
  const path = file || "~/.postgresql/root.crt";
  if (!existsSync(path)) throw new Error(`root certificate file "${path}" does not exist`);
  return tlsOptions({ sslmode: mode, sslrootcert: readFileSync(path, "utf8") }, host);
}
