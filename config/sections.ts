/** First pass over a whole stack: each section, and each entry in it, against its shape. */
import { images, type ImagesInput } from "./images.ts";
import { observability, type ObservabilityInput } from "./observability.ts";
import type { Problem } from "./problems.ts";
import * as schema from "./schema.ts";
import type { ServiceInput } from "./service-schema.ts";
import { verification, type VerificationInput } from "./verification.ts";
import { isSection, join } from "./location.ts";
import { check, checkService, type Draft, nameOf } from "./shapes.ts";

/** The keys of our own namespace, in the order of messages. */
export const SECTIONS = [
  "domains",
  "protected_services",
  "gateway",
  "identity_provider",
  "postgres",
  "data_api",
  "test_environments",
  "images",
  "observability",
  "verification",
] as const;
export type Section = (typeof SECTIONS)[number];

export interface SectionDrafts {
  readonly domains: readonly Draft<schema.DomainInput>[];
  readonly services: readonly Draft<ServiceInput>[];
  readonly gateway: Draft<schema.GatewayInput>;
  readonly identityProvider: Draft<schema.IdentityProviderInput> | undefined;
  readonly postgres: Draft<schema.PostgresInput> | undefined;
  readonly dataApi: Draft<schema.DataApiInput> | undefined;
  readonly testEnvironments: Draft<schema.TestEnvironmentsInput>;
  readonly images: Draft<ImagesInput>;
  readonly observability: Draft<ObservabilityInput> | undefined;
  readonly verification: Draft<VerificationInput> | undefined;
}

/** @param problems receives what is wrong */
export function checkSections(sections: Partial<Record<Section, unknown>>, problems: Problem[]): SectionDrafts {
  const optional = <S extends Parameters<typeof check>[0]>(shape: S, section: Section) =>
    sections[section] === undefined ? undefined : check(shape, sections[section], { path: section }, problems);
  if (sections.identity_provider === undefined) {
    problems.push({ path: "identity_provider", message: "missing", hint: "add gatehouse:identity_provider" });
  }
  return {
    domains: checkDomains(sections.domains, problems),
    services: checkServices(sections.protected_services, problems),
    gateway: check(schema.gateway, sections.gateway ?? {}, { path: "gateway" }, problems),
    identityProvider: optional(schema.identityProvider, "identity_provider"),
    postgres: optional(schema.postgres, "postgres"),
    dataApi: optional(schema.dataApi, "data_api"),
    testEnvironments: check(
      schema.testEnvironments,
      sections.test_environments ?? {},
      { path: "test_environments" },
      problems,
    ),
    images: check(images, sections.images ?? {}, { path: "images" }, problems),
    observability: optional(observability, "observability"),
    verification: optional(verification, "verification"),
  };
}

/** Without the section, localhost alone is there. */
function checkDomains(section: unknown = { localhost: {} }, problems: Problem[]): Draft<schema.DomainInput>[] {
  if (!isSection(section)) {
    problems.push({
      path: "domains",
      message: "expected a section",
      hint: "write one key per domain kind, e.g. localhost: {}",
    });
    return [];
  }
  const inOrder = Object.entries(section).sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b));
  return inOrder.map(([kind, raw]) => {
    const location = { path: join("domains", kind) };
    if (schema.KNOWN_KINDS.includes(kind)) return check(schema.knownDomain, raw ?? {}, location, problems);
    if (!/^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$/.test(kind)) {
      problems.push({
        ...location,
        message: "is not a valid name of a domain kind",
        hint: "use at most 20 of a-z, 0-9 and -",
      });
    }
    return check(schema.customDomain, raw, location, problems);
  });
}

/** Known kinds first, in this order: the engine hands a section over with its keys sorted, so that the file's order is lost. */
function rank(kind: string): number {
  const index = schema.KNOWN_KINDS.indexOf(kind);
  return index < 0 ? schema.KNOWN_KINDS.length : index;
}

function checkServices(section: unknown = [], problems: Problem[]): Draft<ServiceInput>[] {
  if (!Array.isArray(section)) {
    problems.push({ path: "protected_services", message: "expected a list", hint: "begin each entry with a dash" });
    return [];
  }
  return section.map((raw, index) =>
    checkService(raw, { path: join("protected_services", index), entry: nameOf(raw) }, problems),
  );
}
