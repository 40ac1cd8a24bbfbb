import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { listensOnPrimary } from "../../../config/sections/dataApi/postgrestVersions.ts";
import { problemsOf, sections, shell, stack } from "../stacks.ts";

const PASSWORD = { template: "${POSTGRES}", variables: ["POSTGRES"] };
const installed = (install: Record<string, unknown>, others: Record<string, unknown> = {}) =>
  stack({ postgres: { password: "${POSTGRES}", install, ...others } }, { "variables:PORT": { value: "15432" } });
const settingsOf = (install: Record<string, unknown>) => parseStack(installed(install), shell);

describe("the Postgres server", () => {
  test("is an existing server without install", () => {
    const settings = parseStack(stack(), shell);
    expect(settings.postgres).toEqual({
      host: "db.example.org",
      port: 5432,
      superuser: true,
      user: "postgres",
      password: PASSWORD,
      sslmode: "require",
      sslrootcert: undefined,
      install: undefined,
    });
  });

  test("is one instance on localhost as a StatefulSet, without TLS, and protected", () => {
    expect(settingsOf({ kind: "statefulset" }).postgres).toEqual({
      host: "localhost",
      port: 5432,
      user: "postgres",
      superuser: true,
      password: PASSWORD,
      sslmode: "disable",
      sslrootcert: undefined,
      install: {
        kind: "statefulset",
        namespace: "postgres",
        version: "18",
        size: "10Gi",
        storageClass: undefined,
        service: "LoadBalancer",
        allowedFrom: [],
        clients: [],
        protect: true,
        instances: 1,
        operatorNamespace: "cnpg-system",
        monitoring: undefined,
      },
    });
  });

  test("is three instances with TLS as a Cluster of the operator", () => {
    const { postgres } = settingsOf({
      kind: "cloudnativepg",
      service: "ClusterIP",
      host: "127.0.0.1",
      port: "${PORT}",
      monitoring: "observability",
      allowed_from: ["10.1.0.0/16", "fd00::/8"],
      clients: ["pipelines"],
      protect: false,
    });
    expect(postgres).toMatchObject({ host: "127.0.0.1", port: 15432 });
    expect(postgres?.install).toMatchObject({
      kind: "cloudnativepg",
      service: "ClusterIP",
      instances: 3,
      monitoring: "observability",
      allowedFrom: ["10.1.0.0/16", "fd00::/8"],
      clients: ["pipelines"],
      protect: false,
    });
  });

  test.each([
    ["disable", "a port forward", { service: "ClusterIP", host: "127.0.0.1" }],
    ["disable", "a port forward by name", { service: "ClusterIP", host: "localhost" }],
    ["disable", "a port forward on IPv6", { service: "ClusterIP", host: "::1" }],
    ["require", "the network of the cluster", { service: "ClusterIP" }],
    ["require", "another host", { service: "ClusterIP", host: "db.internal" }],
    ["require", "a load balancer on localhost", {}],
  ])("has sslmode %s for the deploying machine through %s, as a Cluster of the operator", (sslmode, _, fields) => {
    expect(settingsOf({ kind: "cloudnativepg", ...fields }).postgres?.sslmode).toBe(sslmode);
  });

  test.each([
    ["host", { host: null }],
    ["install", { install: null }],
    ["port", { port: null, install: { kind: "statefulset" } }],
    ["sslrootcert", { host: "db.example.org", sslmode: "require", sslrootcert: null }],
    ["sslrootcert", { host: "db.example.org", sslmode: "verify-full", sslrootcert: null }],
  ])("has one problem for %s without a value: %j", (key, fields) => {
    expect(problemsOf(stack({ postgres: { password: "${POSTGRES}", ...fields } }))).toEqual([
      expect.stringMatching(`^postgres\\.${key}: missing\\. Add it: `),
    ]);
  });

  test("uses the address of its Service with ClusterIP", () => {
    expect(settingsOf({ kind: "statefulset", service: "ClusterIP" }).postgres?.host).toBeUndefined();
  });
});

describe("an invalid Postgres server", () => {
  const EXISTING = "describes an existing server, but install deploys one";
  test.each<[string, Parameters<typeof problemsOf>[0], string[]]>([
    [
      "that is nowhere",
      stack({ postgres: { password: "${POSTGRES}" } }),
      ["postgres.host: missing. Add the host of an existing server, or install one: install: { kind: statefulset }."],
    ],
    [
      "that is there and installed",
      installed(
        { kind: "statefulset" },
        { host: "db.example.org", port: 5432, user: "admin", sslmode: "require", sslrootcert: "x" },
      ),
      [
        `postgres.host: ${EXISTING}. Remove it, or set install.host instead.`,
        `postgres.port: ${EXISTING}. Remove it, or set install.port instead.`,
        `postgres.user: ${EXISTING}. Remove it, or remove install.`,
        `postgres.sslmode: ${EXISTING}. Remove it, or remove install.`,
        `postgres.sslrootcert: ${EXISTING}. Remove it, or remove install.`,
      ],
    ],
    [
      "of a kind that does not exist",
      installed({ kind: "statefullset" }),
      [
        'postgres.install.kind: found "statefullset", expected statefulset or cloudnativepg. Did you mean "statefulset"?',
      ],
    ],
    [
      "with what a StatefulSet cannot do",
      installed({ kind: "statefulset", instances: 3, operator_namespace: "cnpg-system", monitoring: "monitoring" }),
      ["instances", "operator_namespace", "monitoring"].map(
        (key) =>
          `postgres.install.${key}: is not available with kind "statefulset". Remove it, or set kind: cloudnativepg.`,
      ),
    ],
    [
      "in a namespace of something else",
      installed({ kind: "statefulset", namespace: "authentik" }),
      [
        'postgres.install.namespace: namespace "authentik" is already used by identity_provider. Set another namespace.',
      ],
    ],
    [
      "together with the data API",
      installed({ kind: "statefulset", namespace: "gatehouse-data" }),
      ['postgres.install.namespace: namespace "gatehouse-data" is already used by data_api. Set another namespace.'],
    ],
    [
      "with values that mean nothing",
      installed({
        kind: "statefulset",
        size: "10",
        version: "latest",
        allowed_from: ["10.0.0.1", "10.1.2.3/8", "::ffff:10.0.0.0/104", "fd00::1/64"],
        colour: "red",
      }),
      [
        'postgres.install.version: found "latest", expected a version of Postgres from 17 on. Write it like 18, in quotes.',
        'postgres.install.size: found "10", expected a size of storage. Write it like 10Gi.',
        'postgres.install.allowed_from[0]: found "10.0.0.1", expected a network in CIDR notation. Write it like 10.0.0.0/8, or 10.1.2.3/32 for one address.',
        "postgres.install.colour: unknown key. Remove it, or use one of kind, namespace, version, size, storage_class, service, host, port, allowed_from, clients, protect, instances, operator_namespace, monitoring.",
        ...["10.1.2.3/8", "::ffff:10.0.0.0/104", "fd00::1/64"].map(
          (network, index) =>
            `postgres.install.allowed_from[${index + 1}]: found "${network}", expected the address of a network without the bits of a host. Write it like 10.0.0.0/8, or 10.1.2.3/32 for one address.`,
        ),
      ],
    ],
  ])("is rejected %s", (_, raw, problems) => {
    expect(problemsOf(raw)).toEqual(problems);
  });
});

describe("read replicas", () => {
  test.each([
    ["v12.0.2", false],
    ["v12.0.3", false],
    ["v12.2.0", true],
    ["v13.0.8", true],
    ["v14.17", true],
    ["16.2", true],
  ])("require a PostgREST that can listen on the primary: %s -> %s", (version, can) => {
    expect(listensOnPrimary(version)).toBe(can);
  });

  test.each<[string, Record<string, unknown>, string, boolean]>([
    ["a PostgREST that cannot", { kind: "cloudnativepg" }, "v12.0.2", true],
    ["one that can", { kind: "cloudnativepg" }, "v14.17", false],
    ["a cluster of one", { kind: "cloudnativepg", instances: 1 }, "v12.0.2", false],
    ["a StatefulSet", { kind: "statefulset" }, "v12.0.2", false],
  ])("stay unused with a warning: %s", (_, install, version, isWarned) => {
    const { config } = installed(install);
    const dataApi = { value: { ...sections.data_api, version } };
    const { warnings } = parseStack({ stack: "dev", config: { ...config, "gatehouse:data_api": dataApi } }, shell);
    const warning =
      "data_api.version: PostgREST v12.0.2 reads from the primary, because it cannot listen for schema changes on a replica. " +
      "Set v12.2.0 or later to read from the replicas.";
    expect(warnings.filter((one) => one.includes("replica"))).toEqual(isWarned ? [warning] : []);
  });
});

test.each(["db.example.org:5433", "https://db.example.org", "/var/run/postgresql"])("refuses %s as a host", (host) => {
  expect(problemsOf(stack({ postgres: { host, password: "${POSTGRES}" } }))).toEqual([
    "postgres.host: is not a DNS name in lower case or an IP address. Write it like db.example.org, and the port in port.",
  ]);
});
