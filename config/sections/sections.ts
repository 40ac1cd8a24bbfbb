/** The sections of a stack file in the namespace `gatehouse`, in the order of messages and of the reference. */
import { check } from "../schema/draft.ts";
import type { Problem } from "../errors/problems.ts";
import type { Section } from "./section.ts";
import { cluster } from "./cluster.ts";
import { dataApi } from "./dataApi/dataApi.ts";
import { checkDomains, domains } from "./domains/domains.ts";
import { gateway } from "./gateway.ts";
import { identityProvider } from "./identityProvider/identityProvider.ts";
import { images } from "./images/images.ts";
import { observability } from "./observability.ts";
import { postgres } from "./postgres/postgres.ts";
import { checkServices, protectedServices } from "./protectedServices/protectedServices.ts";
import { testEnvironments } from "./testEnvironments.ts";
import { verification } from "./verification.ts";

const TABLE = {
  cluster,
  domains,
  protected_services: protectedServices,
  gateway,
  identity_provider: identityProvider,
  postgres,
  data_api: dataApi,
  test_environments: testEnvironments,
  images,
  observability,
  verification,
};
export type SectionName = keyof typeof TABLE;
export const SECTIONS: Readonly<Record<SectionName, Section>> = TABLE;
export const SECTION_NAMES = Object.keys(TABLE) as SectionName[];

export type Drafts = ReturnType<typeof checkSections>;

/** Checks each section against its schema. @param problems receives what is wrong */
export function checkSections(sections: Partial<Record<SectionName, unknown>>, problems: Problem[]) {
  const section = <S extends Parameters<typeof check>[0]>({ schema }: { schema: S }, name: SectionName) =>
    check(schema, sections[name] ?? {}, { path: name }, problems);
  const optional = <S extends Parameters<typeof check>[0]>(of: { schema: S }, name: SectionName) =>
    sections[name] === undefined ? undefined : section(of, name);
  // A key with a misspelled namespace counts as that of another program: the next deployment would delete the resources of the section.
  const missing = SECTION_NAMES.filter((name) => SECTIONS[name].required && sections[name] === undefined);
  problems.push(...missing.map((name) => ({ path: name, message: "missing", hint: `add gatehouse:${name}` })));
  return {
    cluster: section(cluster, "cluster"),
    domains: checkDomains(sections.domains, problems),
    services: checkServices(sections.protected_services, problems),
    gateway: section(gateway, "gateway"),
    identityProvider: optional(identityProvider, "identity_provider"),
    postgres: optional(postgres, "postgres"),
    dataApi: optional(dataApi, "data_api"),
    testEnvironments: section(testEnvironments, "test_environments"),
    images: section(images, "images"),
    observability: optional(observability, "observability"),
    verification: optional(verification, "verification"),
  };
}
