/** The only module that reads a stack's configuration; pure, apart from {@link readStackFile}. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { kindRules, kindWarnings } from "./sections/domains/domainKinds.ts";
import { hostLabels } from "../infra/plan/hosts.ts";
import { backendWarnings } from "./rules/backends.ts";
import { hostRules } from "./rules/hosts.ts";
import { isSection, isWithin, join } from "./errors/location.ts";
import { tailnetRules, tailnetWarnings } from "./sections/domains/tailnet.ts";
import { namespaceRules } from "./rules/namespaces.ts";
import { ConfigError, type Problem, suggestion } from "./errors/problems.ts";
import { checkProjectOf } from "./files/projectFile.ts";
import { lookUpSecrets, settingsOf } from "./schema/resolve.ts";
import { checkSections, type Drafts, SECTION_NAMES, type SectionName } from "./sections/sections.ts";
import { clusterRules, toCluster } from "./sections/cluster.ts";
import { toDataApi } from "./sections/dataApi/dataApi.ts";
import { dataApiRules } from "./sections/dataApi/dataApiRules.ts";
import { domainRules, domainWarnings, toDomain } from "./sections/domains/domains.ts";
import { gateway } from "./sections/gateway.ts";
import { identityProvider } from "./sections/identityProvider/identityProvider.ts";
import { identityProviderWarnings } from "./sections/identityProvider/identityProviderWarnings.ts";
import { identityProviderRules } from "./sections/identityProvider/identityProviderRules.ts";
import { images, imagesWarnings } from "./sections/images/images.ts";
import { observability, observabilityRules, observabilityWarnings } from "./sections/observability.ts";
import { postgresRules, postgresWarnings, toPostgres } from "./sections/postgres/postgres.ts";
import { clientRules, clientWarnings, nameRules, toService } from "./sections/protectedServices/protectedServices.ts";
import { toTestEnvironments } from "./sections/testEnvironments.ts";
import { verification, verificationRules } from "./sections/verification.ts";
import type { Settings } from "./settings.ts";
import { parseConfig } from "./files/stackFile.ts";
import { versionRules, versionWarnings } from "./rules/versions.ts";
import { type Environment, type RawValue, Variables } from "./variables/variables.ts";

/** The configuration of a stack before validation. */
export interface RawStack {
  readonly stack: string;
  /** Name of the stack file, for messages. Default: `Pulumi.<stack>.yaml`. */
  readonly file?: string;
  /** By full key: `gatehouse:domains`, `kubernetes:context`, `variables:NAME`. */
  readonly config: Readonly<Record<string, RawValue>>;
}

interface ParseOptions {
  /** Whether the variables of secret fields must be set; a plan needs none of them. Default: true. */
  readonly secretsRequired?: boolean;
}

/**
 * Returns the settings of a stack's configuration. Checks shapes and rules together, so that all problems are reported at once.
 * @param env variables of the deploying shell, for `${NAME}` that the stack does not set
 * @throws ConfigError with every problem, in the order of the sections; it contains no value of a variable or of a secret field
 */
export function parseStack(raw: RawStack, env: Environment, options: ParseOptions = {}): Settings {
  const problems: Problem[] = [];
  const variables = new Variables(raw.stack, raw.config, env, options.secretsRequired ?? true);
  const sections = readSections(raw.config, problems);
  const context = readContext(raw.config, problems);
  const drafts = checkSections(sections, problems);
  const checked = checkedSettings(drafts, variables, context);
  lookUpSecretsOfWrongEntries(drafts, variables);
  const inputs = ruleInputs(drafts, checked);
  // After everything that resolves variables.
  problems.push(...variables.problems, ...variables.publishedSecrets);
  problems.push(...ruleProblems(inputs, checked, context, variables));
  problems.push(...nulProblems(sections, problems));
  const required = { identityProvider: checked.identityProvider, gateway: checked.gateway, images: checked.images };
  if (problems.length > 0 || !isComplete(required)) throw new ConfigError(fileOf(raw), inOrder(problems));
  const settings = { ...checked, ...required, stack: raw.stack, context };
  return { ...settings, warnings: [...ruleWarnings(inputs, settings), ...variables.warnings] };
}

/** Returns the settings of the sections without problems; a setting is undefined if its section has one. */
function checkedSettings(drafts: Drafts, variables: Variables, context: string | undefined) {
  const domains = drafts.domains.map((draft) =>
    toDomain(draft.location.path.slice("domains.".length), draft, variables),
  );
  const session = drafts.identityProvider?.fields.session ?? "";
  return {
    cluster: toCluster(drafts.cluster, context),
    domains,
    services: drafts.services.flatMap((draft) => toService(draft, domains, session, variables) ?? []),
    gateway: settingsOf(gateway, drafts.gateway, variables),
    identityProvider: settingsOf(identityProvider, drafts.identityProvider, variables),
    postgres: drafts.postgres && toPostgres(drafts.postgres, variables),
    dataApi: drafts.dataApi && toDataApi(drafts.dataApi, domains, variables),
    testEnvironments: toTestEnvironments(drafts.testEnvironments),
    images: settingsOf(images, drafts.images, variables),
    observability: settingsOf(observability, drafts.observability, variables),
    verification: settingsOf(verification, drafts.verification, variables),
  };
}
type Checked = ReturnType<typeof checkedSettings>;

/** Looks up the variables of secret fields in entries that have other problems, so that a variable without a value is reported as well. */
function lookUpSecretsOfWrongEntries(drafts: Drafts, variables: Variables): void {
  for (const draft of [...drafts.services, drafts.identityProvider, drafts.postgres, drafts.dataApi]) {
    if (draft !== undefined && draft.value === undefined) lookUpSecrets(draft.raw, draft.location, variables);
  }
}

/** Returns what rules read: the drafts, with fields of sections that have problems, the settings of all domains, and the administrator's name. */
function ruleInputs(drafts: Drafts, { domains, postgres }: Checked) {
  const administrator = postgres?.user ?? drafts.postgres?.fields.user;
  const server = { hasPostgres: drafts.postgres !== undefined, administrator };
  const exposed = [...drafts.services, ...(drafts.dataApi ? [drafts.dataApi] : [])];
  return { ...drafts, ...server, settings: domains, exposed };
}
type RuleInputs = ReturnType<typeof ruleInputs>;

/** Returns the problems of rules that concern more than one field. Their order matters within one section only: {@link inOrder} sorts by section. */
function ruleProblems(
  inputs: RuleInputs,
  checked: Checked,
  context: string | undefined,
  variables: Variables,
): Problem[] {
  return [
    ...clusterRules(inputs.cluster, context),
    ...domainRules(inputs),
    ...tailnetRules(checked.domains, inputs.domains),
    ...kindRules(checked.domains, inputs.exposed),
    ...nameRules(inputs),
    ...clientRules(inputs, variables),
    ...hostRules(inputs, checked.testEnvironments, checked.identityProvider?.url),
    ...identityProviderRules(inputs),
    ...dataApiRules(inputs),
    ...versionRules(inputs),
    ...postgresRules(inputs),
    ...observabilityRules(inputs),
    ...verificationRules(inputs),
    ...namespaceRules(inputs),
  ];
}

function ruleWarnings(inputs: RuleInputs, settings: Omit<Settings, "warnings">): string[] {
  return [
    ...kindWarnings(settings.domains, inputs.exposed),
    ...clientWarnings(inputs),
    ...backendWarnings(inputs),
    ...domainWarnings(settings.domains),
    ...tailnetWarnings(settings.domains, hostLabels(settings)),
    ...identityProviderWarnings(settings),
    ...versionWarnings(inputs),
    ...postgresWarnings(inputs),
    ...observabilityWarnings(inputs),
    ...imagesWarnings(inputs),
  ];
}

function isComplete<T extends object>(values: T): values is { [K in keyof T]: NonNullable<T[K]> } {
  return Object.values(values).every((value) => value !== undefined);
}

/**
 * Reads a stack file without Pulumi. An encrypted value is only noted as secret.
 * @param path the file, e.g. `Pulumi.dev.yaml`
 * @throws ConfigError when the file cannot be read, and as {@link parseStackFile}
 */
export function readStackFile(path: string, stack: string): RawStack {
  const file = basename(path);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const [message, hint] =
      code === "ENOENT"
        ? ["does not exist", "name a stack whose Pulumi.<stack>.yaml exists, or write one: npx gatehouse init"]
        : [`cannot be read (${code})`, "check the file and its permissions"];
    throw new ConfigError(file, [{ path: file, message, hint }]);
  }
  checkProjectOf(path);
  return parseStackFile(text, stack, file);
}

/**
 * Reads the text of a stack file, like {@link readStackFile}.
 * @param file its name, for messages
 * @throws ConfigError when it is not a stack file: binary, empty, not YAML, not a section, an alias bomb; the text is not repeated
 */
export function parseStackFile(text: string, stack: string, file: string): RawStack {
  const values = Object.entries(parseConfig(text, file)).map(([key, value]): [string, RawValue] => [
    key,
    isSecure(value) ? { secret: true } : { value },
  ]);
  return { stack, file, config: Object.fromEntries(values) };
}

/** Returns the sections of the namespace `gatehouse`. Unknown keys and encrypted values are problems. */
function readSections(config: RawStack["config"], problems: Problem[]): Partial<Record<SectionName, unknown>> {
  const sections: Partial<Record<SectionName, unknown>> = {};
  for (const [key, raw] of Object.entries(config)) {
    if (!key.startsWith("gatehouse:")) continue;
    const section = SECTION_NAMES.find((name) => key === `gatehouse:${name}`);
    if (section === undefined) {
      const meant = suggestion(key.slice("gatehouse:".length), SECTION_NAMES);
      const hint =
        meant === undefined
          ? `remove it, or use one of ${SECTION_NAMES.join(", ")}`
          : `did you mean "gatehouse:${meant}"?`;
      problems.push({ path: key, message: "unknown key", hint });
      continue;
    }
    const encrypted = "secret" in raw ? [section] : pathsOf(isSecure, raw.value, section);
    problems.push(...encrypted.map((path) => ({ path, message: "found an encrypted value", hint: ENCRYPTED_HINT })));
    sections[section] = "secret" in raw ? {} : raw.value;
  }
  return sections;
}

const ENCRYPTED_HINT = 'write "${NAME}" instead, and run: pulumi config set --secret variables:NAME';

function readContext(config: RawStack["config"], problems: Problem[]): string | undefined {
  const raw = config["kubernetes:context"];
  if (raw === undefined) return undefined;
  if ("value" in raw && typeof raw.value === "string" && raw.value !== "") return raw.value;
  const hint = "write the name of a context of your kubeconfig, in plain text";
  problems.push({ path: "kubernetes:context", message: "is not a plain name", hint });
  return undefined;
}

/** Returns the problems in the order of the sections, and only the first one about an encrypted value. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const encrypted = problems.filter(({ hint }) => hint === ENCRYPTED_HINT);
  const isRepeated = (problem: Problem) =>
    encrypted.some((first) => first !== problem && isWithin(problem.path, first.path));
  const rank = ({ path }: Problem) =>
    SECTION_NAMES.findIndex((section) => path.startsWith(section)) * 1e6 + Number(/\[(\d+)\]/.exec(path)?.[1] ?? 0);
  return problems.filter((problem) => !isRepeated(problem)).sort((a, b) => rank(a) - rank(b));
}

/** Returns where a value contains such a value. */
function pathsOf(isFound: (value: unknown) => boolean, value: unknown, path: string): string[] {
  if (isFound(value)) return [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => pathsOf(isFound, item, join(path, index)));
  if (!isSection(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => pathsOf(isFound, item, join(path, key)));
}

/** Refuses texts, of fields without another problem, with the character that neither Postgres nor an environment variable can contain. */
function nulProblems(sections: object, problems: readonly Problem[]): Problem[] {
  const hasNul = (value: unknown): boolean => typeof value === "string" && value.includes("\0");
  return Object.entries(sections)
    .flatMap(([section, value]) => pathsOf(hasNul, value, section))
    .filter((path) => !problems.some((other) => other.path === path))
    .map((path) => ({ path, message: "contains the character NUL", hint: "remove it" }));
}

/** Returns whether a value is encrypted, as Pulumi writes it in a stack file. */
function isSecure(value: unknown): boolean {
  return isSection(value) && Object.keys(value).length === 1 && typeof value["secure"] === "string";
}

function fileOf(raw: RawStack): string {
  return raw.file ?? `Pulumi.${raw.stack}.yaml`;
}
