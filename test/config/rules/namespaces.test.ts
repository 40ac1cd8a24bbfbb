import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { basic, proxy, problemsOf, sections, shell, stack } from "../stacks.ts";

const at = (namespaces: { identity?: string; data?: string; postgres?: string; gateway?: string; metrics?: string }) =>
  stack({
    identity_provider: {
      ...sections.identity_provider,
      ...(namespaces.identity && { namespace: namespaces.identity }),
    },
    data_api: { ...sections.data_api, ...(namespaces.data && { namespace: namespaces.data }) },
    ...(namespaces.postgres && {
      postgres: { password: "${POSTGRES}", install: { kind: "statefulset", namespace: namespaces.postgres } },
    }),
    ...(namespaces.gateway && { gateway: { version: "3.7.13", namespace: namespaces.gateway } }),
    ...(namespaces.metrics && { observability: { namespace: namespaces.metrics } }),
  });

describe("a namespace that the stack creates", () => {
  test.each<[string, Parameters<typeof at>[0], string[]]>([
    [
      "that of two sections",
      { identity: "apps", data: "apps" },
      ['data_api.namespace: namespace "apps" is already used by identity_provider. Set another namespace.'],
    ],
    [
      "that of three sections",
      { identity: "apps", data: "apps", postgres: "apps" },
      [
        'postgres.install.namespace: namespace "apps" is already used by data_api. Set another namespace.',
        'data_api.namespace: namespace "apps" is already used by identity_provider. Set another namespace.',
      ],
    ],
    [
      "one of every cluster",
      { data: "default" },
      ['data_api.namespace: namespace "default" is already used by the cluster. Set another namespace.'],
    ],
    [
      "that of Traefik",
      { data: "traefik", gateway: "traefik" },
      ['data_api.namespace: namespace "traefik" is already used by gateway. Set another namespace.'],
    ],
    [
      "that of Prometheus",
      { identity: "monitoring", metrics: "monitoring" },
      ['identity_provider.namespace: namespace "monitoring" is already used by observability. Set another namespace.'],
    ],
  ])("rejects %s", (_, namespaces, problems) => {
    expect(problemsOf(at(namespaces))).toEqual(problems);
  });

  test("rejects that of the operator of Postgres", () => {
    const install = { kind: "cloudnativepg", namespace: "cnpg-system" };
    expect(problemsOf(stack({ postgres: { password: "${POSTGRES}", install } }))).toEqual([
      'postgres.install.namespace: namespace "cnpg-system" is already used by the operator of Postgres. Set another namespace.',
    ]);
  });

  const existing = { install: false, url: "https://sso.example.org", token: "${TOKEN}", service: { name: "sso" } };

  test("rejects the namespace of an existing identity provider in the cluster", () => {
    const raw = stack({ identity_provider: existing, data_api: { ...sections.data_api, namespace: "authentik" } });
    expect(problemsOf(raw)).toEqual([
      'data_api.namespace: namespace "authentik" is already used by identity_provider. Set another namespace.',
    ]);
  });

  test("is not that of an existing identity provider, which the stack does not create", () => {
    const raw = stack({ identity_provider: { ...existing, namespace: "default" } });
    expect(parseStack(raw, shell).identityProvider.namespace).toBe("default");
  });

  test("rejects applications and service accounts in it, but for accounts of the verification job", () => {
    const service_accounts = [
      { name: "reporter", namespace: "server" },
      { name: "verifier", namespace: "jobs" },
    ];
    const raw = (provider: object) =>
      stack({
        protected_services: [
          proxy({ service: { namespace: "authentik" } }),
          basic({ service: { namespace: "server" } }),
        ],
        identity_provider: { ...provider, service_accounts },
        postgres: { password: "${POSTGRES}", install: { kind: "statefulset", namespace: "server" } },
        test_environments: { service: { namespace: "jobs" } },
        verification: { namespace: "jobs", account: "verifier" },
      });
    const created = (at: string, namespace: string, section: string) =>
      `${at}: the stack creates namespace "${namespace}" for ${section}, and deletes it with that section. Use another namespace.`;
    const others = [
      created('protected_services[1].service.namespace "legacy"', "server", "postgres"),
      created("identity_provider.service_accounts[0].namespace", "server", "postgres"),
      created("test_environments.service.namespace", "jobs", "verification"),
    ];
    expect(problemsOf(raw(existing))).toEqual(others);
    expect(problemsOf(raw(sections.identity_provider))).toEqual([
      created('protected_services[0].service.namespace "wiki"', "authentik", "identity_provider"),
      ...others,
    ]);
  });
});
