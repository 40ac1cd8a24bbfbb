import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStack, parseStackFile } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { type Answers, domainKinds, stackOf } from "../../../ops/init/answers.ts";
import { stackFile, variablesOf } from "../../../ops/init/stackFile.ts";

const DOMAINS = ["localhost", "tail1234.ts.net", "apps.example.org", "example.net", "a.example.net", "b.ts.net"];

const context = fc.oneof(
  fc.constantFrom("k3s", "true", "7", "arn:aws:eks:eu-north-1:1:cluster/prod"),
  fc.string({ minLength: 1 }),
);
const answers: fc.Arbitrary<Answers> = fc
  .record({
    context: context.filter((name) => name.trim() !== ""),
    domains: fc
      .subarray(DOMAINS, { minLength: 1 })
      .chain((some) => fc.shuffledSubarray(some, { minLength: some.length })),
    authentik: fc.constantFrom(undefined, "https://login.example.org", "http://10.0.0.7:9000/"),
    dataApi: fc.boolean(),
  })
  .map((given) => ({ ...given, stack: stackOf(given.context) }));

test("is valid for all answers, except for the secrets that are not set yet", () => {
  fc.assert(
    fc.property(answers, (given) => {
      const text = stackFile(given);
      const raw = parseStackFile(text, given.stack, `Pulumi.${given.stack}.yaml`);
      expect(raw.config["kubernetes:context"]).toEqual({ value: given.context });
      const settings = parseStack(raw, {}, { secretsRequired: false });
      const { warnings, exposures } = computePlan(settings);
      const unset = warnings.filter((warning) => warning.startsWith("not set yet, and needed to deploy: "));
      expect(unset.map((warning) => warning.replace(/^.*deploy: |; run: .*$/g, ""))).toEqual([
        variablesOf(text).join(", "),
      ]);
      // Names of a tailnet are nodes, which only its administrator can add. One of the domains is below another one.
      const expected = /has no wildcard names|: a\.example\.net is below example\.net /;
      expect(warnings.filter((warning) => !unset.includes(warning) && !expected.test(warning))).toEqual([]);
      const shown = exposures.filter(({ role }) => role === "service").map(({ host }) => host);
      expect(shown.sort()).toEqual(given.domains.map((domain) => `whoami.${domain}`).sort());
      expect(settings.dataApi !== undefined).toBe(given.dataApi);
      expect(settings.identityProvider.install).toBe(given.authentik === undefined);
      expect(text).not.toMatch(/\n\n\n|[ \t]\n/);
    }),
  );
});

test("replaces characters in the name of a stack that Pulumi does not accept", () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      expect(stackOf(name)).toMatch(/^[A-Za-z0-9_.-]+$/);
    }),
  );
  expect(["k3s", "arn:aws:eks:1:cluster/prod", "@"].map(stackOf)).toEqual([
    "k3s",
    "arn-aws-eks-1-cluster-prod",
    "stack",
  ]);
});

test("gives each domain its own kind", () => {
  expect(domainKinds([...DOMAINS, "localhost", "a-example.net"])).toEqual([
    { kind: "localhost", domain: "localhost" },
    { kind: "mesh", domain: "tail1234.ts.net" },
    { kind: "external", domain: "apps.example.org" },
    { kind: "example-net", domain: "example.net" },
    { kind: "a-example-net", domain: "a.example.net" },
    { kind: "b-ts-net", domain: "b.ts.net" },
    { kind: "a-example-net-2", domain: "a-example.net" },
  ]);
});

test("explains each section in the order in which a user needs it", () => {
  const text = stackFile({
    stack: "k3s",
    context: "k3s",
    domains: ["localhost"],
    authentik: undefined,
    dataApi: false,
  });
  expect(text).toBe(`# yaml-language-server: $schema=node_modules/gatehouse/dist/config/stack.schema.json
#
# What stack k3s exposes, and to which groups. All fields: node_modules/gatehouse/docs/configuration.md
#
#   npx gatehouse plan k3s       prints hosts, protections and groups; needs no cluster
#   npx gatehouse deploy k3s     checks, previews, asks, deploys, verifies
#
# \${NAME} is a secret: set it once with \`pulumi config set --secret variables:NAME --stack k3s\`, or export it.
config:
  # The only cluster that this stack changes: a context of your kubeconfig.
  kubernetes:context: k3s

  # Every service below is on these domains, as <name>.<base_domain>.
  gatehouse:domains:
    localhost: { enabled: true }

  # One entry for each service. This one shows what an application receives; replace it with your own.
  gatehouse:protected_services:
    - name: whoami
      type: proxy # forward auth; oauth2: the application signs users in itself; basic: one username and password
      description: Shows what an application receives
      domains: auto # every enabled domain
      application_slug: whoami
      service: { name: whoami, namespace: default, port: 8080 } # the Kubernetes Service
      # groups: [staff] # only these; default: every user who can sign in

  # The Traefik that the cluster runs. Its version is compared with known advisories.
  gatehouse:gateway: { version: 3.7.13 }

  # authentik, deployed by this stack. Sign in as akadmin with AUTHENTIK_ADMIN_PASSWORD, and create users there.
  gatehouse:identity_provider:
    token: "\${AUTHENTIK_TOKEN}"
    admin_password: "\${AUTHENTIK_ADMIN_PASSWORD}"
    secret_key: "\${AUTHENTIK_SECRET_KEY}"
    database: { password: "\${AUTHENTIK_DATABASE_PASSWORD}" }

  # The server of authentik: one instance. Instead of install, host: db.example.org is an existing server.
  gatehouse:postgres:
    password: "\${POSTGRES_PASSWORD}"
    install: { kind: statefulset }

  # Deploys the echo service that whoami above is.
  gatehouse:test_environments: { install: true }
`);
});
