import { join } from "node:path";
import { expect, test } from "vitest";
import { parseStack, readStackFile } from "../../../../config/load.ts";
import { packageFolder } from "../../../../config/files/folders.ts";
import type { Settings } from "../../../../config/settings.ts";
import { accessOf } from "../../../../infra/access/access.ts";
import type { AccessFacts } from "../../../../infra/access/facts.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { compareAccess } from "../../../../ops/checks/diff/diff.ts";
import { change, fieldOf, leavesOf, type Path } from "./leaves.ts";

/** Settings that decide neither who can connect nor to what. */
const SILENT = [
  // What a template consists of; it is a fact itself.
  ...["dataApi.authenticatorPassword", "dataApi.ownerPassword", "identityProvider.adminPassword"].map(variablesOf),
  ...["identityProvider.database.password", "identityProvider.sampleUsers[].password"].map(variablesOf),
  ...["identityProvider.secretKey", "identityProvider.token", "postgres.password"].map(variablesOf),
  ...["basicAuth.password", "oauthConfig.clientSecret"].map((field) => variablesOf(`services[].${field}`)),
  // Without the scope offline_access.
  "services[].oauthConfig.refreshTokenValidity",
  // Versions, and how the stack deploys.
  "dataApi.version",
  "gateway.version",
  "identityProvider.version",
  "images.digests",
  "postgres.install.version",
  "dataApi.catalog.replicas",
  "dataApi.maxReplicas",
  "dataApi.protect",
  "dataApi.replicas",
  "identityProvider.providersPerOutpost",
  "postgres.install.instances",
  "postgres.install.protect",
  "postgres.install.size",
  "postgres.install.storageClass",
  "testEnvironments.install",
  "verification.schedule",
  "observability",
  "observability.dashboard",
  "observability.labels.release",
  // Names and descriptions; `cluster` has the context.
  "context",
  "dataApi.catalog.basePath",
  "domains[].description",
  "identityProvider.adminEmail",
  "identityProvider.database.name",
  "identityProvider.database.user",
  "identityProvider.database.protect",
  "identityProvider.service",
  "services[].description",
  "warnings[]",
].sort();

/** Without effect in one of the stacks: TLS of a disabled domain, or of a server that the stack installs; a missing test backend. */
const SILENT_IN_ONE = [
  "domains[].tls",
  "domains[].tls.name",
  "domains[].tls.termination",
  "gateway.httpsEntryPoint",
  "postgres.install.operatorNamespace",
  "postgres.sslmode",
  "postgres.sslrootcert",
  "testEnvironments.enabled",
  ...["name", "namespace", "port"].map((field) => `testEnvironments.backend.${field}`),
  // Of services that are not oauth2.
  "services[].enforce",
];

function variablesOf(field: string): string {
  return `${field}.variables[]`;
}

test("turns every setting that concerns access into a fact, and every change of it into a statement", () => {
  const fields = Map.groupBy(["dev", "local", "production"].flatMap(settingsOf), ({ field }) => field);
  const namesOf = (isSilent: (all: readonly { readonly result: Result }[]) => boolean) => {
    const silent = [...fields].flatMap(([field, all]) => (isSilent(all) ? [field] : []));
    return [...new Set(silent.map((field) => (field.startsWith("images.digests.") ? "images.digests" : field)))].sort();
  };
  expect(namesOf((all) => all.every(({ result }) => result === "silent"))).toEqual(SILENT);
  // In each stack by itself, so that a field without a fact in one of them is found.
  expect(namesOf((all) => all.some(({ result }) => result === "silent"))).toEqual([...SILENT, ...SILENT_IN_ONE].sort());
  expect([...fields.values()].flat().filter(({ result }) => result === "unstated")).toEqual([]);
});

test("prints nothing about credentials and the default schema if an older version recorded neither", () => {
  const raw = readStackFile(join(packageFolder(), "Pulumi.local.yaml"), "local");
  const after = accessOf(computePlan(parseStack(raw, {}, { secretsRequired: false })));
  const isNew = (name: string) => /^(token|secret key|password|default schema) of /.test(name);
  const before = { ...after, setting: new Map([...after.setting].filter(([name]) => !isNew(name))) };
  const changes = compareAccess(before, after);
  expect([changes.length, changes.every(({ implied }) => implied)]).toEqual([10, true]);
});

/** `silent`: no fact changes. `unstated`: facts change, and no statement is printed. `refused`: no configuration results in such settings. */
type Result = "silent" | "refused" | "stated" | "unstated";

/** Returns the settings of a stack file, and the last of these results among the changes of its values. */
function settingsOf(stack: string): { field: string; result: Result }[] {
  const raw = readStackFile(join(packageFolder(), `Pulumi.${stack}.yaml`), stack);
  const settings = parseStack(raw, {}, { secretsRequired: false });
  const before = accessFor(settings);
  const resultOf = (path: Path): Result => {
    const changed = structuredClone(settings);
    change(changed, path);
    const after = accessFor(changed);
    if (after === undefined || before === undefined) return "refused";
    const changes = compareAccess(before, after);
    return changes.length === 0 ? "silent" : changes.every(({ implied }) => implied) ? "unstated" : "stated";
  };
  const paths = Map.groupBy(leavesOf(settings), fieldOf);
  return [...paths].map(([field, all]) => {
    const results = all.map(resultOf);
    const result = (["unstated", "stated", "refused"] as const).find((one) => results.includes(one)) ?? "silent";
    return { field, result };
  });
}

/** Returns undefined for settings that no configuration results in. */
function accessFor(settings: Settings): AccessFacts | undefined {
  try {
    return accessOf(computePlan(settings));
  } catch {
    return undefined;
  }
}
