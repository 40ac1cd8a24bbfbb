/** Root certificates in PEM (RFC 7468), as libpq reads them from the file that `sslrootcert` names. */
import { X509Certificate } from "node:crypto";
import type { Problem } from "../errors/problems.ts";

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/**
 * Returns the certificates of the text, without what is around them, or why no server's certificate can be verified with them. One of
 * them must be self-signed: OpenSSL trusts no chain that ends at another certificate (openssl-verification-options, "Trust Anchors").
 * A problem does not repeat the text.
 * @param now time at which one of the root certificates must be valid
 */
export function rootCertificates(text: string, now = new Date()): string | Pick<Problem, "message" | "hint"> {
  const blocks = Array.from(text.matchAll(BLOCK), ([block, label = ""]) => ({ block, label }));
  if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text)) {
    const hint = "write the certificate alone, and replace the key, which is no longer secret";
    return { message: "contains a private key", hint };
  }
  const found = blocks.filter(({ label }) => label === "CERTIFICATE").map(({ block }) => block);
  if (found.length === 0) {
    const hint =
      "write sslrootcert: | and below it, indented, the file with its lines BEGIN CERTIFICATE and END CERTIFICATE";
    return { message: "is not a certificate in PEM", hint };
  }
  const certificates = found.map(parse);
  const broken = certificates.indexOf(undefined) + 1;
  if (broken > 0) {
    const hint = "copy the file again; openssl x509 -in FILE -noout -text must be able to read it";
    return { message: `certificate ${broken} of ${found.length} cannot be read`, hint };
  }
  const roots = certificates.filter((certificate) => certificate?.checkIssued(certificate));
  if (roots.length === 0) {
    return {
      message: "contains no root certificate, because none is self-signed",
      hint: "write the certificate of the root CA; the server itself sends its own and those in between",
    };
  }
  const end = Math.max(...roots.map((root) => Date.parse(root?.validTo ?? "")));
  if (end < now.getTime()) {
    const day = new Date(end).toISOString().slice(0, 10);
    return { message: `the root certificate expired on ${day}`, hint: "write the one that the CA uses now" };
  }
  return `${found.join("\n")}\n`;
}

function parse(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}
