import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate and its key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Returns the self-signed certificate of a new CA, valid for two days. */
export function newAuthority(name: string): KeyPair {
  return inFolder((folder) => {
    openssl(
      folder,
      "req",
      "-x509",
      ...NEW_KEY,
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
      "-keyout",
      "own.key",
      "-out",
      "own.crt",
    );
    return read(folder);
  });
}

/** Returns a certificate that an authority issued. @param names its subject alternative names, like `DNS:localhost,IP:127.0.0.1` */
export function issue(authority: KeyPair, names: string): KeyPair {
  return inFolder((folder) => {
    writeFileSync(join(folder, "ca.crt"), authority.certificate);
    writeFileSync(join(folder, "ca.key"), authority.key);
    const signed = ["-CA", "ca.crt", "-CAkey", "ca.key", "-addext", `subjectAltName=${names}`];
    openssl(
      folder,
      "req",
      "-x509",
      ...NEW_KEY,
      ...signed,
      "-days",
      "2",
      "-subj",
      "/CN=issued",
      "-keyout",
      "own.key",
      "-out",
      "own.crt",
    );
    return read(folder);
  });
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-certificates-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function openssl(folder: string, ...args: readonly string[]): void {
  execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
}

function read(folder: string): KeyPair {
  const text = (name: string): string => readFileSync(join(folder, name), "utf8");
  return { certificate: text("own.crt"), key: text("own.key") };
}
