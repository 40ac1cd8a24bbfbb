import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { problemsOf, sections, shell, stack } from "../stacks.ts";

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
});
