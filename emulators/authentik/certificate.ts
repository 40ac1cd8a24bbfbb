import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from "node:crypto";

const YEAR = 365 * 24 * 3600 * 1000;

/** A self-signed X.509 certificate with a fresh RSA key, both PEM. Node.js can read certificates, but not create them. */
export function selfSigned(commonName: string): { certificate_data: string; key_data: string } {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const algorithm = der(0x30, Buffer.from("06092a864886f70d01010b0500", "hex")); // sha256WithRSAEncryption
  const name = der(
    0x30,
    der(0x31, der(0x30, Buffer.from("0603550403", "hex"), der(0x0c, Buffer.from(commonName)))), // CN
  );
  const now = Date.now();
  const body = der(
    0x30,
    der(0xa0, Buffer.from("020102", "hex")), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    der(0x30, time(now - 60_000), time(now + YEAR)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  return {
    certificate_data: new X509Certificate(der(0x30, body, algorithm, signature)).toString(),
    key_data: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** Returns the fields that the API has for a certificate: fingerprints with colons, expiry, subject. */
export function describeCertificate(pem: string) {
  const certificate = new X509Certificate(pem);
  return {
    fingerprint_sha256: certificate.fingerprint256.toLowerCase(),
    fingerprint_sha1: certificate.fingerprint.toLowerCase(),
    cert_expiry: certificate.validToDate.toISOString(),
    cert_subject: certificate.subject.replaceAll("\n", ","),
    key_type: certificate.publicKey.asymmetricKeyType ?? "rsa",
  };
}

/** The key id under which a key pair is published and signs. */
export function keyId(keyPem: string): string {
  return createHash("md5").update(keyPem).digest("hex");
}

function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(digits.slice(2)));
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const size = body.length.toString(16);
  const bytes = Buffer.from(size.padStart(size.length + (size.length % 2), "0"), "hex");
  const length = body.length < 128 ? bytes : Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
  return Buffer.concat([Buffer.from([tag]), length, body]);
}
