import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { messageOf, oauth2, problemsOf, shell, stack } from "../stacks.ts";

const mesh = (baseDomain: string) => ({ domains: { mesh: { enabled: true, base_domain: baseDomain } } });

describe("template variables", () => {
  test("prefer the value of the stack", () => {
    const raw = stack(mesh("${DOMAIN}"), { "variables:DOMAIN": { value: "stack.example.org" } });
    const settings = parseStack(raw, { ...shell, DOMAIN: "shell.example.org" });
    expect(settings.domains[0]?.baseDomain).toBe("stack.example.org");
  });

  test("use the environment variable when the stack has no value", () => {
    const settings = parseStack(stack(mesh("${DOMAIN}")), { ...shell, DOMAIN: "shell.example.org" });
    expect(settings.domains[0]?.baseDomain).toBe("shell.example.org");
  });

  test("are replaced several times in one text", () => {
    const env = { ...shell, NETWORK: "tail1234", SUFFIX: "example.org" };
    expect(parseStack(stack(mesh("${NETWORK}.ts.${SUFFIX}")), env).domains[0]?.baseDomain).toBe(
      "tail1234.ts.example.org",
    );
  });

  test("are not replaced inside a value", () => {
    const env = { ...shell, DOMAIN: "${TOKEN}.example.org" };
    expect(messageOf(() => parseStack(stack(mesh("${DOMAIN}")), env))).toBe(
      'Pulumi.dev.yaml: 1 problem\n  domains.mesh.base_domain: "${DOMAIN}" is not a DNS name in lower case. Write it like example.org.',
    );
  });

  test("are not set when they are empty", () => {
    expect(messageOf(() => parseStack(stack(mesh("${DOMAIN}")), { ...shell, DOMAIN: "" }))).toContain(
      'template variable "DOMAIN" is not set',
    );
  });

  test("stay unresolved for a disabled domain", () => {
    const raw = stack({ domains: { localhost: {}, external: { base_domain: "${EXTERNAL_DOMAIN}", port: "${PORT}" } } });
    expect(parseStack(raw, shell).domains[1]).toEqual({
      kind: "external",
      enabled: false,
      baseDomain: "${EXTERNAL_DOMAIN}",
      protocol: "https",
      port: undefined,
      description: "",
      targets: [],
      tls: { termination: "default" },
    });
  });

  test.each([
    ["a number", 8080, {}],
    ["a variable of the stack, which YAML reads as a number", "${PORT}", { "variables:PORT": { value: 8080 } }],
    ["a variable of the stack, as text", "${PORT}", { "variables:PORT": { value: "8080" } }],
  ])("set a port that is %s", (_, port, extra) => {
    expect(parseStack(stack({ domains: { localhost: { port } } }, extra), shell).domains[0]?.port).toBe(8080);
  });
});

describe("secret fields", () => {
  test("stay unresolved, with the names of their variables", () => {
    const settings = parseStack(stack(), shell);
    expect(settings.identityProvider.token).toEqual({ template: "${TOKEN}", variables: ["TOKEN"] });
    expect(settings.postgres?.password).toEqual({ template: "${POSTGRES}", variables: ["POSTGRES"] });
  });

  test("are set by an encrypted variable of the stack", () => {
    const raw = stack(
      { protected_services: [oauth2({}, { client_secret: "${HIDDEN}" })] },
      { "variables:HIDDEN": { secret: true } },
    );
    expect(parseStack(raw, shell).warnings).toEqual([]);
  });

  test("accept a client id as plain text or as a variable", () => {
    const clientId = (id: string, env: Record<string, string>) => {
      const raw = stack(
        { protected_services: [oauth2({}, { client_id: id })] },
        { "variables:PLAIN": { value: "shop" }, "variables:NESTED": { value: "${TOKEN}" } },
      );
      const [service] = parseStack(raw, { ...shell, ...env }).services;
      return service?.type === "oauth2" ? service.oauthConfig.clientId : undefined;
    };
    expect(clientId("grafana", {})).toEqual({ template: "grafana", variables: [] });
    expect(clientId("dev-${ID}", { ID: "x" })).toEqual({ template: "dev-${ID}", variables: ["ID"] });
    expect(clientId("${PLAIN}-${ID}", { ID: "x" })).toEqual({ template: "shop-${ID}", variables: ["ID"] });
    expect(clientId("${NESTED}", { TOKEN: "x" })).toEqual({ template: "${NESTED}", variables: ["NESTED"] });
  });

  test("are refused in plain text by a deployment, and warned of by a plan", () => {
    const raw = stack(
      { protected_services: [oauth2({}, { client_secret: "${OPEN}" })] },
      { "variables:OPEN": { value: "hunter2" } },
    );
    const message =
      'protected_services[0].oauth_config.client_secret "grafana": variables:OPEN is in plain text in the stack file. ' +
      "Rotate the value if the stack was deployed or the file committed, and run: pulumi config set --secret variables:OPEN --stack dev";
    expect(problemsOf(raw)).toEqual([message]);
    expect(parseStack(raw, shell, { secretsRequired: false }).warnings).toEqual([message]);
  });

  test("accepts a client id in plain text, also next to another problem", () => {
    const raw = stack(
      { protected_services: [oauth2({ icon: 1 }, { client_id: "${OPEN}" })] },
      { "variables:OPEN": { value: "grafana" } },
    );
    expect(problemsOf(raw)).toEqual([
      expect.stringMatching(/^protected_services\[0\]\.icon "grafana": unknown key\. /),
    ]);
  });

  test("are not required for a plan, which warns once", () => {
    const { TOKEN, KEY, ...rest } = shell;
    expect([TOKEN, KEY]).toHaveLength(2);
    expect(parseStack(stack(), rest, { secretsRequired: false }).warnings).toEqual([
      "not set yet, and needed to deploy: TOKEN, KEY; " +
        "run: pulumi config set --secret variables:NAME --stack dev, or export them",
    ]);
  });
});
