import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { PROVIDER_SERIES } from "../../../config/rules/versions.ts";
import { problemsOf, sections, shell, stack } from "../stacks.ts";

const authentik = (version: string) => stack({ identity_provider: { ...sections.identity_provider, version } });
const traefik = (version: string) => stack({ gateway: { version } });

const COOKIE = "CVE-2026-25748: a malformed cookie bypasses forward auth. Use 2025.12.4 or newer.";
const LOGIN = "CVE-2026-49448 and CVE-2026-49443: an empty response skips a step of the login. Use 2026.5.1 or newer.";
const PATCHES =
  "the vulnerabilities of authentik #24059 to #24062: " +
  "four security patches without published details (release notes of 2026.5.5). Use 2026.5.5 or newer.";
const noPair = (version: string) =>
  `identity_provider.version: authentik ${version} and the Terraform provider 2026.5 are not compatible ` +
  "(terraform-provider-authentik #966). Use a 2026.5 server, or a Gatehouse for its series (docs/operations/upgrading.md).";

describe("authentik's version", () => {
  test("is compared with the release series of the provider in sdks/authentik", () => {
    const path = join(import.meta.dirname, "..", "..", "..", "sdks", "authentik", "package.json");
    const { pulumi } = JSON.parse(readFileSync(path, "utf8")) as {
      pulumi: { parameterization: { name: string; version: string; value: string } };
    };
    const { name, version, value } = pulumi.parameterization;
    const remote = (JSON.parse(Buffer.from(value, "base64").toString()) as { remote: { version: string } }).remote;
    expect([name, version]).toEqual(["authentik", remote.version]);
    expect(version.split(".").slice(0, 2).join(".")).toBe(PROVIDER_SERIES);
  });

  test.each(["2026.5.5", "2026.5.12"])("accepts %s", (version) => {
    const settings = parseStack(authentik(version), shell);
    expect([settings.identityProvider.version, settings.warnings]).toEqual([version, []]);
  });

  test.each<[string, string[]]>([
    [
      "2026.5.0",
      [
        `identity_provider.version: authentik 2026.5.0 has ${LOGIN}`,
        `identity_provider.version: authentik 2026.5.0 has ${PATCHES}`,
      ],
    ],
    ["2026.5.4", [`identity_provider.version: authentik 2026.5.4 has ${PATCHES}`]],
    [
      "2025.12.3",
      [
        `identity_provider.version: authentik 2025.12.3 has ${COOKIE}`,
        `identity_provider.version: authentik 2025.12.3 has ${LOGIN}`,
        noPair("2025.12.3"),
      ],
    ],
    ["2025.10.4", [`identity_provider.version: authentik 2025.10.4 has ${LOGIN}`, noPair("2025.10.4")]],
    [
      "2025.10.3",
      [
        `identity_provider.version: authentik 2025.10.3 has ${COOKIE}`,
        `identity_provider.version: authentik 2025.10.3 has ${LOGIN}`,
        noPair("2025.10.3"),
      ],
    ],
    ["2026.8.1", [noPair("2026.8.1")]],
    ["2026.50.1", [noPair("2026.50.1")]],
  ])("rejects %s", (version, problems) => {
    expect(problemsOf(authentik(version))).toEqual(problems);
  });

  test("is also checked when the stack does not install it", () => {
    const provider = { install: false, url: "https://sso.example.org", token: "${TOKEN}", version: "2026.8.1" };
    expect(problemsOf(stack({ identity_provider: provider }))).toEqual([noPair("2026.8.1")]);
  });

  test.each(["2026.5", "latest", "2026.5.1-rc1", "v2026.5.1"])("rejects version %s", (version) => {
    expect(problemsOf(authentik(version))).toEqual([
      `identity_provider.version: found "${version}", expected a version of authentik. Write it like 2026.5.7.`,
    ]);
  });
});

describe("Traefik's version", () => {
  const ALIASES =
    "has CVE-2026-54763 and CVE-2026-88011 (forward auth does not remove aliases of headers; Gatehouse removes them on every route). " +
    "Fixed in 3.7.12.";
  const NAMESPACES =
    "has CVE-2026-65601 (a route can use middlewares of another namespace; restrict who can create routes). Fixed in 3.7.7.";

  test.each(["3.7.2", "3.6.99", "2.11.30"])("rejects %s", (version) => {
    expect(problemsOf(traefik(version))).toEqual([
      `gateway.version: Traefik ${version} has CVE-2026-48020: dot segments bypass the authentication of a route, ` +
        "and basic auth without users is open. Use 3.7.3 or newer.",
    ]);
  });

  test.each<[string, string[]]>([
    ["3.7.3", [NAMESPACES, ALIASES]],
    ["3.7.6", [NAMESPACES, ALIASES]],
    ["3.7.7", [ALIASES]],
    ["3.7.11", [ALIASES]],
    ["3.7.12", []],
    ["3.8.0", []],
  ])("accepts %s, and warns of what is known of it", (version, warnings) => {
    expect(parseStack(traefik(version), shell).warnings).toEqual(
      warnings.map((text) => `gateway.version: Traefik ${version} ${text}`),
    );
  });

  test("warns when it is not set", () => {
    expect(parseStack(stack({ gateway: undefined }), shell).warnings).toEqual([
      "gateway.version: not set, so that it is not checked for known vulnerabilities. Set the version of the running Traefik.",
    ]);
  });
});

describe("PostgREST's version", () => {
  const postgrest = (version: string) => stack({ data_api: { ...sections.data_api, version } });
  const HINTS =
    "postgrest #4675: hints of errors contain names of tables that the caller cannot read. Use 14.17 or newer.";
  const MEMORY =
    "postgrest #4955: requests fail if their role sets work_mem, which limits the memory of a query. Use 14.17 or newer.";

  test.each(["v12.0.2", "v12.2.12", "v14.13", "v14.17", "v16.1"])("accepts %s", (version) => {
    expect(parseStack(postgrest(version), shell).dataApi?.version).toBe(version);
  });

  test.each([
    ["v14.5", [`14.5.0 has ${HINTS}`, `14.5.0 has ${MEMORY}`]],
    ["v13.0.8", [`13.0.8 has ${HINTS}`, `13.0.8 has ${MEMORY}`]],
    ["v14.12", [`14.12.0 has ${MEMORY}`]],
    [
      "v11.2.2",
      [
        "11.2.2 has postgrest #2492: a function cannot set the status of a response, so there are no 304 responses. " +
          "Use 14.17 or newer.",
      ],
    ],
  ])("rejects %s", (version, problems) => {
    expect(problemsOf(postgrest(version))).toEqual(problems.map((text) => `data_api.version: PostgREST ${text}`));
  });
});
