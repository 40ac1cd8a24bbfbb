import { join } from "node:path";
import { expect, test } from "vitest";
import { parseStack, readStackFile } from "../../../../config/load.ts";
import { packageFolder } from "../../../../config/folders.ts";
import type { Settings } from "../../../../config/settings.ts";
import { accessOf } from "../../../../infra/access/access.ts";
import { computePlan } from "../../../../infra/plan/plan.ts";
import { change, fieldOf, leavesOf, type Path } from "./leaves.ts";

/** Settings that decide neither who can connect nor to what. */
const SILENT = [
  // Names of variables with secrets.
  ...["dataApi.authenticatorPassword", "dataApi.ownerPassword", "identityProvider.adminPassword"].flatMap(secretText),
  ...["identityProvider.database.password", "identityProvider.sampleUsers[].password"].flatMap(secretText),
  ...["identityProvider.secretKey", "identityProvider.token", "postgres.password"].flatMap(secretText),
  ...["services[].basicAuth.password", "services[].oauthConfig.clientId"].flatMap(secretText),
  ...secretText("services[].oauthConfig.clientSecret"),
  // Versions, and how the stack deploys.
  ...["dataApi.version", "gateway.version", "identityProvider.version", "images.digests", "postgres.install.version"],
  ...["dataApi.catalog.replicas", "dataApi.maxReplicas", "dataApi.protect", "dataApi.replicas"],
  ...["identityProvider.providersPerOutpost", "postgres.install.instances", "postgres.install.kind"],
  ...["postgres.install.operatorNamespace", "postgres.install.protect", "postgres.install.size"],
  ...["postgres.install.storageClass", "testEnvironments.install", "verification.schedule"],
  ...["observability", "observability.dashboard", "observability.labels.release"],
  // Names and descriptions; `cluster` has the context.
  ...["context", "dataApi.catalog.basePath", "domains[].description", "gateway.service", "identityProvider.adminEmail"],
  ...[
    "identityProvider.database.name",
    "identityProvider.database.user",
    "identityProvider.database.protect",
    "identityProvider.sampleUsers[].email",
  ],
  ...["identityProvider.sampleUsers[].name", "identityProvider.service", "services[].description", "warnings[]"],
].sort();

function secretText(field: string): string[] {
  return [`${field}.template`, `${field}.variables[]`];
}

test("turns every setting that concerns access into a fact", () => {
  const fields = Map.groupBy(["dev", "local", "production"].flatMap(settingsOf), ({ field }) => field);
  const silent = [...fields].flatMap(([field, all]) => (all.every(({ isSilent }) => isSilent) ? [field] : []));
  const names = new Set(silent.map((field) => (field.startsWith("images.digests.") ? "images.digests" : field)));
  expect([...names].sort()).toEqual(SILENT);
});

/** Returns the settings of a stack file, and whether each can be changed without a change of any fact. */
function settingsOf(stack: string): { field: string; isSilent: boolean }[] {
  const raw = readStackFile(join(packageFolder(), `Pulumi.${stack}.yaml`), stack);
  const settings = (): Settings => parseStack(raw, {}, { secretsRequired: false });
  const before = factsOf(settings());
  const isSilent = (path: Path): boolean => {
    const changed = structuredClone(settings());
    change(changed, path);
    return factsOf(changed) === before;
  };
  const paths = Map.groupBy(leavesOf(settings()), fieldOf);
  return [...paths].map(([field, all]) => ({ field, isSilent: all.every(isSilent) }));
}

/** Returns "refused" for settings that no configuration results in. */
function factsOf(settings: Settings): string {
  try {
    return JSON.stringify(
      Object.entries(accessOf(computePlan(settings))).map(([section, facts]) => [section, [...facts]]),
    );
  } catch {
    return "refused";
  }
}
