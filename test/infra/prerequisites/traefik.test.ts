import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { TraefikFacts } from "../../../infra/prerequisites/cluster.ts";
import { problemsOf, type PrerequisiteResult } from "../../../infra/prerequisites/prerequisite.ts";
import { entryPointsOf, isOn, optionsOf } from "../../../infra/prerequisites/staticOptions.ts";
import { traefikPrerequisites } from "../../../infra/prerequisites/traefik.ts";
import { proxy, sections, shell, stack } from "../../config/stacks.ts";

const ARGS = ["--entryPoints.web.address=:8000/tcp", "--entryPoints.websecure.address=:8443/tcp"];
const PROVIDER = "--providers.kubernetescrd";
const IN = "gateway: Traefik in namespace kube-system";

const FACTS: TraefikFacts = {
  version: "3.7.13",
  args: [],
  forwardAuthFields: ["maxResponseBodySize"],
  pods: [],
  hostNetwork: false,
  failoverFields: ["middlewares"],
  nodePortServices: [],
};

/** @param tls of an enabled domain */
function found(
  args: readonly string[],
  tls?: unknown,
  nodePortServices: string[] = [],
): ReadonlyMap<string, PrerequisiteResult> {
  const mesh = { ...sections.domains.mesh, ...(tls !== undefined && { tls }) };
  const settings = parseStack(stack({ domains: { localhost: {}, mesh } }), shell);
  const facts = { ...FACTS, args, nodePortServices };
  return new Map(
    traefikPrerequisites(settings, computePlan(settings), facts).map(({ name, result }) => [name, result]),
  );
}

function problemOf(name: string, ...args: Parameters<typeof found>): string | undefined {
  const result = found(...args).get(name);
  return result && problemsOf([{ subject: "Traefik", name, result }])[0];
}

test("reports pods with the address of their node, which network policies cannot select", () => {
  const settings = parseStack(stack({}), shell);
  const namesOf = (hostNetwork: boolean) =>
    traefikPrerequisites(settings, computePlan(settings), { ...FACTS, args: [...ARGS, PROVIDER], hostNetwork })
      .filter(({ result }) => "reason" in result)
      .map(({ name }) => name);
  expect(namesOf(true)).toEqual(["network of Traefik", ...namesOf(false)]);
});

test("reads options in any case, flags, and values with an equals sign", () => {
  const options = optionsOf(["--Ping", "--entryPoints.Web.address=:80", "-api=true", "--a.b=c=d", "traefik"]);
  expect([...options]).toEqual([
    ["ping", ""],
    ["entrypoints.web.address", ":80"],
    ["api", "true"],
    ["a.b", "c=d"],
  ]);
  expect(entryPointsOf(options)).toEqual(["web"]);
});

test("adds the values of a repeated option, and takes a value from the next argument", () => {
  const namespaces = ["--providers.kubernetesCRD.namespaces=a", "--Providers.KubernetesCRD.namespaces", "b,c"];
  expect([...optionsOf([...namespaces, "--ping", "--api.insecure"])]).toEqual([
    ["providers.kubernetescrd.namespaces", "a,b,c"],
    ["ping", ""],
    ["api.insecure", ""],
  ]);
});

test.each([
  [["--api"], true],
  [["--api=T"], true],
  [["--api=False"], false],
  [["--api", "0"], false],
  [[], false],
])("%j: the API is on: %s", (args, expected) => {
  expect(isOn(optionsOf(args), "API")).toBe(expected);
});

describe("a redirection of the HTTP entry point", () => {
  const name = "entry point web";
  const TO = "--entrypoints.Web.http.redirections.entryPoint.to=websecure";
  const only = (domains: object, ...args: string[]) => {
    const settings = parseStack(stack({ domains, protected_services: [proxy({})] }), shell);
    const plan = computePlan(settings);
    const results = traefikPrerequisites(settings, plan, { ...FACTS, args: [...ARGS, PROVIDER, ...args] });
    return problemsOf(results.filter((one) => one.name === name).map((one) => ({ ...one, subject: "Traefik" })));
  };
  const external = (tls: unknown) => ({ external: { enabled: true, base_domain: "example.org", tls } });
  const problem =
    'gateway.http_entry_point: Traefik in namespace kube-system redirects all requests on entry point "web" before a route of the stack matches. ' +
    "Remove the arguments --entryPoints.web.http.redirections.*, or set http.redirections.entryPoint.priority below 100: the stack redirects from HTTP to HTTPS where the gateway terminates TLS.";

  test("is refused unless all routes redirect, or precede it", () => {
    for (const domains of [{ localhost: {} }, external("upstream")]) {
      expect([only(domains), only(domains, TO)]).toEqual([[], [problem]]);
    }
    expect(only(external({ resolver: "letsencrypt" }), TO)).toEqual([]);
    const priority = "--entryPoints.web.http.redirections.entryPoint.priority";
    expect(only({ localhost: {} }, TO, `${priority}=99`)).toEqual([]);
    expect(only({ localhost: {} }, TO, `${priority}=100`)).toEqual([problem]);
  });
});

test("reports the middlewares of an entry point, which apply to each route on it", () => {
  const name = "middlewares of entry point web";
  const option = "--entryPoints.web.http.middlewares";
  expect([...found([...ARGS, PROVIDER, "--entryPoints.metrics.http.middlewares=a@file"]).keys()]).not.toContain(name);
  expect(
    found([
      ...ARGS,
      PROVIDER,
      `${option}=auth-authentik@kubernetescrd,compress@file`,
      "--entrypoints.Web.http.middlewares=Last@file",
      `${option}[0]=first@file`,
    ]).get(name),
  ).toEqual({
    reason: "Traefik runs auth-authentik@kubernetescrd, compress@file, Last@file, first@file before each route on it",
    hint: `remove those that authenticate or redirect from ${option} (docs/prerequisites.md)`,
  });
});

describe("provider kubernetesCRD", () => {
  const name = "provider kubernetesCRD";

  test.each([[PROVIDER], [`${PROVIDER}=true`], [`${PROVIDER}.allowCrossNamespace=true`]])("accepts %s", (option) => {
    expect(found([...ARGS, option]).get(name)).toEqual({ observed: "reads every namespace" });
  });

  test("accepts namespaces that contain those of the stack", () => {
    const namespaces = "authentik,default,gatehouse-data,tools";
    expect(found([...ARGS, `${PROVIDER}.namespaces=${namespaces}`]).get(name)).toEqual({
      observed: "reads authentik, default, gatehouse-data, tools",
    });
  });

  test.each([
    ["is missing", [], "does not read IngressRoutes. Add the argument --providers.kubernetesCRD."],
    ["is off", [`${PROVIDER}=false`], "does not read IngressRoutes. Add the argument --providers.kubernetesCRD."],
    [
      "reads objects of a class only",
      [`${PROVIDER}.ingressClass=public`],
      'ignores objects of another class "public". Remove the argument --providers.kubernetesCRD.ingressClass.',
    ],
    [
      "reads objects with labels only",
      [`${PROVIDER}.labelSelector=team=a`],
      'ignores objects without the labels "team=a". Remove the argument --providers.kubernetesCRD.labelSelector.',
    ],
    [
      "does not read a namespace of the stack",
      [`${PROVIDER}.namespaces=default,authentik`],
      "does not read the namespaces gatehouse-data. Add them to --providers.kubernetesCRD.namespaces, or remove the argument.",
    ],
  ])("is refused when it %s", (_, args, message) => {
    expect(problemOf(name, [...ARGS, ...args])).toBe(`${IN} ${message}`);
  });
});

describe("references to services of other providers", () => {
  const name = "provider kubernetesCRD";
  const option = (namespaces: string) => [...ARGS, PROVIDER, `${PROVIDER}.crossProviderNamespaces=${namespaces}`];

  test("are refused for the data API unless its namespace is listed", () => {
    expect(found(option("default,gatehouse-data")).get(name)).toEqual({ observed: "reads every namespace" });
    expect(problemOf(name, option("default"))).toBe(
      `${IN} refuses noop@internal, which middlewares in namespace gatehouse-data use. ` +
        "Add the namespace to --providers.kubernetesCRD.crossProviderNamespaces.",
    );
  });
});

describe("client addresses of a domain behind a proxy", () => {
  const name = "client addresses of domain mesh";
  const PREFIX = "--entryPoints.web.forwardedHeaders";
  const hint = `List the addresses of the proxies in ${PREFIX}.trustedIPs.`;

  test("are those that trusted proxies state", () => {
    expect(found([...ARGS, PROVIDER, `${PREFIX}.trustedips=10.0.0.0/8,192.0.2.1`], "upstream").get(name)).toEqual({
      observed: "from X-Forwarded-For of 10.0.0.0/8, 192.0.2.1",
    });
  });

  const great = "the internet or a great part of it";
  test.each([
    ["every sender", `${PREFIX}.insecure`],
    [great, `${PREFIX}.trustedIPs=0.0.0.0/0`],
    [great, `${PREFIX}.trustedIPs=::/0`],
    [great, `${PREFIX}.trustedIPs=0.0.0.0/1,128.0.0.0/1`, `${PREFIX}.trustedIPs=0.0.0.0/1`],
  ])("are refused if Traefik trusts %s with %s", (who, option, shown = option) => {
    const problem = `Traefik trusts the X-Forwarded-For header of ${who} (${shown}), so that a client can choose its address`;
    expect(problemOf(name, [...ARGS, PROVIDER, option], "upstream")).toBe(
      `domains.mesh.tls: upstream: ${problem}. ${hint}`,
    );
  });
});

describe("client addresses of the data API", () => {
  const name = "client addresses of the data API";

  test("are those that Traefik appends", () => {
    expect(found([...ARGS, PROVIDER]).get(name)).toEqual({ observed: "appended to X-Forwarded-For" });
    const other = "--entryPoints.metrics.forwardedHeaders.notAppendXForwardedFor";
    expect(found([...ARGS, PROVIDER, other]).get(name)).toEqual({ observed: "appended to X-Forwarded-For" });
  });

  test.each(["global", "entryPoints.web.forwardedHeaders"])("are refused when %s does not append them", (prefix) => {
    const option = `--${prefix}.notAppendXForwardedFor`;
    expect(problemOf(name, [...ARGS, PROVIDER, option])).toBe(
      `data_api: Traefik does not append the address of a client to X-Forwarded-For (${option}), so that a client can choose its address. ` +
        `Remove the argument ${option}.`,
    );
  });

  test("are uncertain when nodes can replace them, unless the PROXY protocol states them", () => {
    expect(found([...ARGS, PROVIDER], undefined, ["traefik"]).get(name)).toMatchObject({
      reason:
        "Service kube-system/traefik has externalTrafficPolicy Cluster, with which nodes can replace the addresses of clients by their own",
    });
    const proxied = ["web", "websecure"].map((one) => `--entryPoints.${one}.proxyProtocol.trustedIPs=10.0.0.1`);
    expect(found([...ARGS, PROVIDER, ...proxied], undefined, ["traefik"]).get(name)).toEqual({
      observed: "appended to X-Forwarded-For",
    });
  });
});

describe("certificate resolvers", () => {
  const name = "certificate resolver letsencrypt";
  const tls = { resolver: "letsencrypt" };

  test("are compared without case, and only where a domain names one", () => {
    const args = [...ARGS, PROVIDER, "--certificatesResolvers.letsEncrypt.acme.email=a@example.org"];
    expect(found(args, tls).get(name)).toEqual({ observed: "used by domain mesh" });
    expect([...found(args).keys()]).not.toContain(name);
  });

  test("are refused when Traefik has none of that name", () => {
    const missing = 'domains.mesh.tls.resolver: Traefik has no certificate resolver "letsencrypt"';
    const args = "Add the arguments --certificatesResolvers.letsencrypt.acme.*";
    expect(problemOf(name, [...ARGS, PROVIDER], tls)).toBe(`${missing}. ${args}, or use tls: { secret: NAME }.`);
    const other = "--certificatesResolvers.staging.acme.email=a@example.org";
    expect(problemOf(name, [...ARGS, PROVIDER, other], tls)).toBe(`${missing}. ${args}, or use one of staging.`);
  });
});

test("does not compare options in a file or in variables, and gives the reason", () => {
  const results = found(["--configFile=/etc/traefik.yaml"], "upstream");
  expect([...results.keys()]).toEqual([
    "version of Traefik",
    "field forwardAuth.maxResponseBodySize",
    "field failover.service.middlewares",
    "static options of Traefik",
  ]);
  expect(results.get("static options of Traefik")).toEqual({
    reason: "a file or variables configure Traefik instead of arguments",
    hint: "compare its entry points, providers and certificate resolvers with docs/prerequisites.md",
  });
});

describe("the size of headers at an entry point of the data API", () => {
  const name = "headers of entry point web";

  test("is reported if it is Traefik's default of 1 MB", () => {
    expect(found(ARGS).get(name)).toEqual({
      reason:
        "Traefik accepts 1048576 bytes, and computes for each request to the data API that has as many, before any limit per client",
      hint: "set the argument --entryPoints.web.http.maxHeaderBytes=65536 (docs/prerequisites.md)",
    });
  });

  test("passes with 64 kB", () => {
    expect(found([...ARGS, "--entryPoints.web.http.maxHeaderBytes=65536"]).get(name)).toEqual({
      observed: "65536 bytes",
    });
  });
});
