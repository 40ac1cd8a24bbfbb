import { expect, test } from "vitest";
import { parse } from "yaml";
import { documentOf } from "../../../ops/import/document.ts";
import { importServices } from "../../../ops/import/import.ts";
import { userNames } from "../../../ops/import/reader.ts";
import { reportOf, reportText } from "../../../ops/import/report.ts";
import { stepsOf } from "../../../ops/import/steps.ts";
import type { Manifest } from "../../../manifests/resource.ts";
import { painter } from "../../../ops/terminal/paint.ts";
import { authentik, NEW, proxies, route, rule, service, sourceOf, stackWith, withClient } from "./cluster.ts";

const CONTEXT = "rancher-desktop";
const REPORTS = "Host(`reports.example.org`)";
const APPS = [service("apps/reports"), service("apps/wiki"), authentik("apps/sso")];
const TLS = { entryPoints: ["websecure"], tls: { secretName: "wildcard" } };

function stepsFor(
  manifests: readonly Manifest[],
  identity = proxies({ slug: "reports", host: "reports.example.org" }),
) {
  const source = sourceOf([...APPS, ...manifests], { identity });
  return stepsOf(importServices(source, NEW), source, NEW, CONTEXT);
}

test("deletes a route that is imported whole, and only the imported rules of another", () => {
  const main = rule(REPORTS, "reports", ["sso"]);
  expect(stepsFor([route("apps/old", [main])])).toEqual({
    before: [],
    after: [
      "kubectl --context rancher-desktop delete ingressroute.traefik.io old --namespace apps",
      'Delete the application "reports" and its provider in authentik, unless other hosts use it.',
    ],
  });
  const both = stepsFor([route("apps/old", [main, rule("Host(`open.example.org`)", "wiki")])]);
  expect(both.after[0]).toBe("Remove from IngressRoute apps/old only: Host(`reports.example.org`)");
});

test("renames a route that has the name of a new one, and deletes it under its other name", () => {
  const { before, after } = stepsFor([route("apps/reports", [rule(REPORTS, "reports", ["sso"])])]);
  expect(before.length).toBe(1);
  expect(before[0]).toContain("Rename IngressRoute apps/reports: the deployment creates an object of this name");
  expect(before[0]).toContain('{name: "reports-old"');
  // A copy that failed must not be followed by the deletion.
  expect(before[0]).toContain(
    " create --filename - &&\nkubectl --context rancher-desktop delete ingressroute.traefik.io reports --namespace apps",
  );
  expect(after[0]).toBe(
    "kubectl --context rancher-desktop delete ingressroute.traefik.io reports-old --namespace apps",
  );
});

test("lowers a priority that is as high as one of Gatehouse's", () => {
  const { before } = stepsFor([route("apps/old", [rule(REPORTS, "reports", ["sso"], { priority: 100 })])]);
  expect(before).toEqual([
    "Set priority: 99 or lower on the rule Host(`reports.example.org`) of IngressRoute apps/old (now 100). Otherwise it stays in front of Gatehouse's rules, which have priority 100 or more.",
  ]);
});

test("names the TLS Secret that the namespace of the outposts needs, which the deployment creates", () => {
  const provider = { external_host: "https://reports.example.org" };
  const identity = proxies({ slug: "reports", host: "reports.example.org", provider });
  const { before, after } = stepsFor([route("apps/old", [rule(REPORTS, "reports", ["sso"])], TLS)], identity);
  expect(before).toEqual([]);
  expect(after[0]).toBe(
    "Create the TLS Secret gatehouse-outposts-imported/wildcard: the new routes in that namespace name it.",
  );
});

test("leaves an application of authentik as it is until its entry is deployed", () => {
  const identity = withClient(proxies(), "wiki", "http://wiki.example.org/callback");
  const { before, after } = stepsFor([route("apps/old", [rule("Host(`wiki.example.org`)", "wiki")])], identity);
  expect(before).toEqual([]);
  expect(after[1]).toBe(
    'Configure the application of wiki with the Secret wiki-oauth2, then delete the application "wiki" and its provider in authentik, unless other applications use its client.',
  );
});

test("adds entries to an existing stack: its own hosts and routes are not imported again, and a new kind is reported with what it exposes", () => {
  const domains = ["mail"].map((name) => ({
    name,
    type: "basic",
    description: name,
    domains: "auto",
    basic_auth: {
      username: "ops",
      password: "${MAIL_PASSWORD}",
    },
  }));
  const target = stackWith({ domains: { localhost: { enabled: true } }, protected_services: domains });
  const own = route("default/mail", [rule("Host(`mail.localhost`)", "mail")]);
  const foreign = route("apps/mail", [rule("Host(`mail.localhost`)", "wiki")]);
  const reports = route("apps/old", [rule(REPORTS, "reports", ["sso"])]);
  const identity = proxies({ slug: "reports", host: "reports.example.org" });
  const source = sourceOf([...APPS, own, foreign, reports], { identity });
  const imported = importServices(source, target);
  const report = reportOf(imported, source, target, CONTEXT, CONTEXT);
  expect(report.unmapped).toEqual([
    {
      object: "IngressRoute apps/mail",
      rule: "Host(`mail.localhost`)",
      hosts: ["mail.localhost"],
      reasons: ["mail.localhost is already a host of the stack"],
    },
  ]);
  expect(report.additionalHosts).toEqual(["mail.example.org"]);
  const text = documentOf(imported, { context: CONTEXT, file: "Pulumi.dev.yaml", hasDomains: true });
  expect(text.split("\n")[0]).toBe(
    "# Written by npx gatehouse import rancher-desktop. Add its sections to Pulumi.dev.yaml. Then run: npx gatehouse plan dev",
  );
  const { config } = parse(text) as { config: Record<string, unknown> };
  expect(Object.keys(config)).toEqual(["gatehouse:domains", "gatehouse:protected_services"]);
  expect(config["gatehouse:domains"]).toEqual({
    "example-org": {
      enabled: true,
      base_domain: "example.org",
      protocol: "http",
      description: "Hosts on example.org",
    },
  });
  const printed = reportText(report, imported, painter(false));
  expect(printed).toMatch(/^1 route written as 1 service, 1 not\n/);
  expect(printed).toContain("Hosts that the stack exposes in addition\n  mail.example.org\n");
  // verify contains the audit, which reports them until they are deleted.
  expect(printed).toContain(`After the deployment, when npx gatehouse verify ${CONTEXT} reports the old routes only\n`);
});

test("names the applications of authentik that no entry replaces, and none that the stack has deployed", () => {
  const wiki = { name: "wiki", type: "proxy", description: "wiki", domains: "auto", application_slug: "wiki" };
  const target = stackWith({ domains: { localhost: { enabled: true } }, protected_services: [wiki] });
  const identity = proxies(
    { slug: "wiki-localhost", host: "wiki.localhost" },
    { slug: "gatehouse-identity", host: "authentik.localhost" },
    { slug: "reports", host: "reports.example.org" },
    { slug: "retired", host: "retired.example.org" },
  );
  const source = sourceOf([...APPS, route("apps/old", [rule(REPORTS, "reports", ["sso"])])], { identity });
  expect(reportOf(importServices(source, target), source, target, CONTEXT, CONTEXT).applications).toEqual([
    { slug: "reports", entry: "reports", reason: undefined },
    { slug: "retired", entry: undefined, reason: "no route of the cluster names its host retired.example.org" },
  ]);
});

test("prints no value of a header or query in a rule", () => {
  const beta = `${REPORTS} && Header(\`X-CDN\`, \`canary\`) && Query(\`token\`, \`canary\`)`;
  const manifests = [...APPS, route("apps/old", [rule(REPORTS, "reports", ["sso"]), rule(beta, "reports")])];
  const source = sourceOf(manifests, { identity: proxies({ slug: "reports", host: "reports.example.org" }) });
  const imported = importServices(source, NEW);
  const report = reportOf(imported, source, NEW, CONTEXT, CONTEXT);
  const shown = `${REPORTS} && Header(\`X-CDN\`, \`…\`) && Query(\`token\`, \`…\`)`;
  expect(report.unmapped.map(({ rule: match }) => match)).toEqual([shown, REPORTS]);
  expect(JSON.stringify(report) + reportText(report, imported, painter(false))).not.toContain("canary");
});

test.each([
  [{ data: { users: "b3BzOnskMnl9CiMgbm90ZQpkZXY6eA==" } }, ["ops", "dev"]],
  [{ type: "kubernetes.io/basic-auth", data: { username: "b3Bz", password: "eA==" } }, ["ops"]],
  [{ data: {} }, "it has 0 keys, and Traefik reads Secrets with one"],
])("reads the names of the users of %j", (secret, expected) => {
  expect(userNames(secret)).toEqual(expected);
});
