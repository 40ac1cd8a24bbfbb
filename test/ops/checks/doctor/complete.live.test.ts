/** The doctor against a cluster with every prerequisite, and with each setting of the stack wrong. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { domains, failures, fails, passes, service, Stack } from "./stack.ts";
import { CANARIES, startSystems, type Systems } from "./systems.ts";

let systems: Systems;
let stack: Stack;
beforeAll(async () => {
  systems = await startSystems();
  stack = new Stack(systems);
  await systems.define();
  await stack.deployTraefik();
  await stack.deployExternalDns(["--source=service", "--source", "crd", "--domain-filter=gatehouse-doctor.test"]);
  await systems.createGroup("staff");
});
afterAll(() => systems.stop());

test("passes every check but that of client addresses, which a Service of Traefik can hide", async () => {
  const examination = await stack.examine({ "gatehouse:cluster": { uid: systems.uid } });
  expect(failures(examination)).toEqual({});
  expect(examination.code).toBe(0);
  const { host, port } = systems.postgres;
  const server = systems.cluster.server;
  expect(examination.checks).toMatchObject({
    "Stack: secrets": passes("4 variables are set"),
    "Stack: state backend": passes("answers; the first deployment creates stack first"),
    "Cluster: API server": passes(`context live, ${server}`),
    "Cluster: identity": passes(`UID ${systems.uid}, as in cluster.uid`),
    "Cluster: namespaces of services": passes("default"),
    "Cluster: permissions": passes("all of the 23 kinds and namespaces that the stack deploys"),
    "Traefik: pods of Traefik": passes("kube-system/traefik"),
    "Traefik: Service of Traefik": passes("kube-system/traefik"),
    "Traefik: kind IngressRoute": passes("traefik.io/v1alpha1"),
    "Traefik: kind Middleware": passes("traefik.io/v1alpha1"),
    "Traefik: kind TraefikService": passes("traefik.io/v1alpha1"),
    "Traefik: version of Traefik": passes("3.7.13"),
    "Traefik: field forwardAuth.maxResponseBodySize": passes("in the definition of Middleware"),
    "Traefik: field failover.service.middlewares": passes("in the definition of TraefikService"),
    "Traefik: entry point web": passes(":8000/tcp"),
    "Traefik: entry point websecure": passes(":8443/tcp"),
    "Traefik: headers of entry point web": passes("65536 bytes"),
    "Traefik: headers of entry point websecure": passes("65536 bytes"),
    "Traefik: provider kubernetesCRD": passes("reads every namespace"),
    "Traefik: certificate resolver letsencrypt": passes("used by domain external"),
    "Traefik: client addresses of the data API": {
      state: "skipped",
      detail:
        "Service kube-system/traefik has externalTrafficPolicy Cluster, with which nodes can replace the addresses of clients by their own",
    },
    "DNS: names of domain localhost": passes("3 hosts on this machine"),
    "DNS: kind DNSEndpoint": passes("externaldns.k8s.io/v1alpha1"),
    "DNS: ExternalDNS": passes("default/external-dns reads DNSEndpoints"),
    "Identity provider: API": passes(systems.authentikUrl),
    "Identity provider: version": passes("2026.5.7"),
    "Identity provider: rights of the token": passes("akadmin is a superuser"),
    "Identity provider: default objects": passes("flows, scope mappings and key pair exist"),
    "Identity provider: groups": passes("staff"),
    "Identity provider: authentik_host": passes('no application uses "authentik Embedded Outpost"'),
    "Postgres: connection": passes(`${host}:${port} as postgres, without TLS (sslmode disable)`),
    "Postgres: version": passes("18.4"),
    "Postgres: rights of the administrator": passes("postgres is a superuser"),
  });
});

test("reports each wrong setting of the gateway", async () => {
  const gateway = { version: "3.7.12", http_entry_point: "http", service: "gateway" };
  const found = failures(
    await stack.examine({ "gatehouse:gateway": gateway, "gatehouse:domains": domains({ resolver: "le" }) }),
  );
  expect(found).toEqual({
    "Traefik: Service of Traefik": fails(
      'gateway.service: namespace kube-system has no Service "gateway"',
      "Set gateway.namespace and gateway.service to those of Traefik's Service.",
    ),
    "Traefik: version of Traefik": fails(
      "gateway.version: 3.7.12, but Traefik in namespace kube-system is 3.7.13",
      "Set gateway.version to 3.7.13, or upgrade Traefik.",
    ),
    "Traefik: entry point http": fails(
      'gateway.http_entry_point: Traefik in namespace kube-system has no entry point "http"',
      "Use one of web, websecure.",
    ),
    "Traefik: certificate resolver le": fails(
      'domains.external.tls.resolver: Traefik has no certificate resolver "le"',
      "Add the arguments --certificatesResolvers.le.acme.*, or use one of letsencrypt.",
    ),
  });
});

test("names the labels of a Traefik elsewhere, and the missing trusted addresses of tls: upstream", async () => {
  const gateway = { version: "3.7.13", namespace: "default" };
  const elsewhere = failures(await stack.examine({ "gatehouse:gateway": gateway }));
  expect(elsewhere["Traefik: pods of Traefik"]).toEqual(
    fails(
      "gateway.pod_labels: no pod in namespace default has the labels app.kubernetes.io/name=traefik",
      "Set gateway.namespace to kube-system, and gateway.pod_labels to those of Traefik's pods there: { app.kubernetes.io/name: traefik }",
    ),
  );
  const upstream = failures(await stack.examine({ "gatehouse:domains": domains("upstream") }));
  expect(upstream).toEqual({
    "Traefik: client addresses of domain external": fails(
      "domains.external.tls: upstream: Traefik trusts no proxy, so that all clients share one rate limit",
      "List the addresses of the proxies in --entryPoints.web.forwardedHeaders.trustedIPs.",
    ),
  });
});

test("reports an ExternalDNS that does not read records, or does not manage the domain", async () => {
  await stack.deployExternalDns(["--source=service"]);
  expect(failures(await stack.examine())["DNS: ExternalDNS"]).toEqual(
    fails("default/external-dns does not read DNSEndpoints", "Add the argument --source=crd to it."),
  );
  await stack.deployExternalDns(["--source=crd", "--domain-filter=example.org"]);
  expect(failures(await stack.examine())["DNS: ExternalDNS"]).toEqual(
    fails(
      "default/external-dns does not manage gatehouse-doctor.test",
      "Add gatehouse-doctor.test to its --domain-filter.",
    ),
  );
  await stack.deployExternalDns(["--source=crd"]);
});

test("reports a wrong version, group and address of authentik, a rejected token, and a missing variable", async () => {
  const examineWith = async (fields: object, groups = ["staff"]) => {
    const changes = { "gatehouse:identity_provider": stack.identityProvider(fields) };
    return failures(await stack.examine({ ...changes, "gatehouse:protected_services": [service("wiki", groups)] }));
  };
  systems.embedded.config["authentik_host"] = "http://localhost";
  expect(await examineWith({})).toEqual({});
  systems.embedded.providers = [1];
  expect(await examineWith({}, ["staff", "board"])).toEqual({
    "Identity provider: groups": fails(
      "protected_services: authentik has no group board",
      "Create them in authentik (Directory > Groups), or list them in identity_provider.groups.",
    ),
    "Identity provider: authentik_host": fails(
      `authentik_host of "authentik Embedded Outpost" is http://localhost, not ${systems.authentikUrl}`,
      `Set authentik_host: ${systems.authentikUrl} in authentik (Applications > Outposts > authentik Embedded Outpost > Edit > Configuration).`,
    ),
  });
  systems.embedded.config["authentik_host"] = systems.authentikUrl;
  systems.embedded.providers = [];
  expect(await examineWith({ token: "${OWNER}" })).toEqual({
    "Identity provider: token": fails(
      "authentik rejects the token",
      "Create an API token of a superuser (Directory > Tokens and App passwords, Expiring off), then run: pulumi config set --secret variables:OWNER --stack first",
    ),
  });
  expect(await examineWith({ token: "${NOT_SET}" })).toMatchObject({
    "Stack: secrets": { hint: "Run: pulumi config set --secret variables:NAME --stack first" },
    "Identity provider: token": { detail: "NOT_SET is not set, so the identity provider cannot be checked" },
  });
});

test("lists the permissions that the user lacks, and skips what cannot be read", async () => {
  const { checks } = await stack.examine({}, { as: "viewer" });
  expect(checks["Cluster: permissions"]?.detail).toContain(
    "the user may not:\nget, create, patch and delete ingressroutes.traefik.io in namespace",
  );
  const skipped = ["Cluster: identity", "Traefik: pods of Traefik", "Traefik: Service of Traefik", "DNS: ExternalDNS"];
  expect(skipped.map((name) => checks[name]?.state)).toEqual(skipped.map(() => "skipped"));
});

test("prints the checks as text, with the next command", async () => {
  const { code, output: text } = await stack.examine({}, { args: [] });
  expect(code).toBe(0);
  expect(text).toContain("\n\nTraefik\n  ✔ pods of Traefik                        kube-system/traefik\n");
  expect(text).toMatch(/\n\d+ passed, \d skipped\. Nothing prevents the deployment: npx gatehouse deploy live\n$/);
});

test("changes nothing in the cluster, and prints no secret", async () => {
  const before = await systems.version();
  await stack.examine();
  expect(await systems.version()).toBe(before);
  expect(stack.output.length).toBeGreaterThan(20_000);
  expect(
    Object.entries({ ...CANARIES, kubeconfig: "live-test" }).filter(([, value]) => stack.output.includes(value)),
  ).toEqual([]);
});
