import { afterEach, describe, expect, test, vi } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { issue, newAuthority } from "../../helpers/certificates.ts";
import { problemsOf, shell, stack } from "../stacks.ts";

const ca = newAuthority("Private CA");
const other = newAuthority("Other CA");
const server = issue(ca, "DNS:db.example.org");

const withFields = (fields: Record<string, unknown>, extra: Parameters<typeof stack>[1] = {}) =>
  stack({ postgres: { host: "db.example.org", password: "${POSTGRES}", ...fields } }, extra);
const verifying = (sslrootcert: unknown) => withFields({ sslmode: "verify-full", sslrootcert });
const parsed = (raw: ReturnType<typeof stack>) => parseStack(raw, shell).postgres?.sslrootcert;

describe("postgres.sslrootcert", () => {
  test.each(["verify-ca", "verify-full"])("is read with sslmode %s", (sslmode) => {
    expect(parsed(withFields({ sslmode, sslrootcert: ca.certificate }))).toBe(ca.certificate);
  });

  test("keeps all certificates, without the text around them", () => {
    const text = `# Private CA\n${server.certificate}\n\nOther CA\n${other.certificate.trimEnd()}`;
    expect(parsed(verifying(text))).toBe(server.certificate + other.certificate);
  });

  test("accepts a template variable", () => {
    const raw = withFields(
      { sslmode: "verify-full", sslrootcert: "${POSTGRES_CA}" },
      { "variables:POSTGRES_CA": { value: ca.certificate } },
    );
    expect(parsed(raw)).toBe(ca.certificate);
  });
});

describe("postgres.sslrootcert is refused", () => {
  afterEach(() => void vi.useRealTimers());

  const missing = (sslmode: string) =>
    `postgres.sslrootcert: missing, and sslmode "${sslmode}" verifies the server's certificate. ` +
    "Add the root certificate of the server's CA as PEM text, for a public CA too.";
  const unused = (sslmode: string) =>
    `postgres.sslrootcert: sslmode "${sslmode}" does not verify the server's certificate. ` +
    "Set sslmode: verify-full, or remove sslrootcert.";
  const key =
    "postgres.sslrootcert: contains a private key. Write the certificate alone, and replace the key, which is no longer secret.";
  const noPem =
    "postgres.sslrootcert: is not a certificate in PEM. " +
    "Write sslrootcert: | and below it, indented, the file with its lines BEGIN CERTIFICATE and END CERTIFICATE.";
  const broken = ca.certificate.replace(/\n.{64}\n/, "\n");

  test.each<[string, ReturnType<typeof stack>, string]>([
    ["where verify-full has none", withFields({ sslmode: "verify-full" }), missing("verify-full")],
    ["where verify-ca has none", withFields({ sslmode: "verify-ca" }), missing("verify-ca")],
    ["with require", withFields({ sslmode: "require", sslrootcert: ca.certificate }), unused("require")],
    ["with the default sslmode", withFields({ sslrootcert: ca.certificate }), unused("require")],
    ["with disable", withFields({ sslmode: "disable", sslrootcert: ca.certificate }), unused("disable")],
    ["when it is a private key", verifying(ca.key), key],
    ["together with a private key", verifying(ca.certificate + ca.key), key],
    ["with the beginning of a private key", verifying("-----BEGIN RSA PRIVATE KEY-----\ncanary"), key],
    ["when it is a path", verifying("/etc/ssl/ca.pem"), noPem],
    ["when it is system", verifying("system"), noPem],
    ["when it is empty", verifying(""), noPem],
    [
      "when it is a certificate request",
      verifying(ca.certificate.replaceAll("CERTIFICATE", "CERTIFICATE REQUEST")),
      noPem,
    ],
    [
      "when it is damaged",
      verifying(ca.certificate + broken),
      "postgres.sslrootcert: certificate 2 of 2 cannot be read. Copy the file again; openssl x509 -in FILE -noout -text must be able to read it.",
    ],
    [
      "when it is the server's own certificate",
      verifying(server.certificate),
      "postgres.sslrootcert: contains no root certificate, because none is self-signed. " +
        "Write the certificate of the root CA; the server itself sends its own and those in between.",
    ],
  ])("reports a problem %s", (_, raw, problem) => {
    expect(problemsOf(raw)).toEqual([problem]);
  });

  test("reports a problem when every root certificate is expired", () => {
    vi.useFakeTimers({ now: Date.now() + 3 * 86_400_000, toFake: ["Date"] });
    const [problem = ""] = problemsOf(verifying(ca.certificate + other.certificate));
    expect(problem).toMatch(
      /^postgres\.sslrootcert: the root certificate expired on \d{4}-\d\d-\d\d\. Write the one that the CA uses now\.$/,
    );
  });
});
