import {
  at,
  fieldsOf,
  labelOf,
  listOf,
  type Manifest,
  manifestOf,
  type Resource,
  textAt,
  type Value,
} from "../../manifests/resource.ts";
import type { Rule, Violation } from "../rule.ts";
import { podsOf } from "../pods.ts";

/**
 * No field that every reader of a workload can see contains a secret. The engine passes every value to policies in plain text
 * (pulumi-policy #241), so that a secret is recognized by its source or by its form. Findings never contain the value.
 */
export const plainSecrets: Rule = {
  name: "secrets-stay-in-secrets",
  description:
    "No secret is in a ConfigMap, an environment variable, an argument, an annotation or another plain field.",
  scope: "resource",
  check: (resources, { secrets }) => {
    const needles = [...secrets].map(([name, value]) => ({ name, value, encoded: encodedIn(value) }));
    return resources.flatMap((resource) => exposedSecrets(resource, needles));
  },
};

/** Fields of other providers for secrets. */
const SECRET_FIELD = /(password|secret|token|key)$/i;
/** Names of variables and settings that contain a secret. */
const SECRET_NAME = /(^|[_.-])(password|passwd|passphrase|secret|token|api_?key|private_?key|credentials?)$/i;
const SECRET_FLAG = /^--?[\w-]*(password|passwd|secret|token|api-?key)(?<value>=.+)?$/i;
/** Well-known forms of secrets. */
const FORMS: Readonly<Record<string, RegExp>> = {
  "a private key": /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/,
  "a key of AWS": /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  "a token of a code host": /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22,}|glpat-[\w-]{20})/,
  "a token of Slack": /\bxox[abprs]-[\w-]{10,}/,
  "a signed token": /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/,
  "an address with a password": /\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@$]+:[^\s/@$]+@[\w[]/i,
  "a password's hash": /\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/,
};

/** The value of a secret variable, and the name of the variable. */
interface Secret {
  readonly name: string;
  readonly value: string;
  /** Its base64, as it can be part of that of a longer text. */
  readonly encoded: readonly string[];
}
type Secrets = readonly Secret[];
type TextPath = Pick<Text, "path">;

/** One text of a resource, and its path. */
interface Text {
  readonly path: string;
  readonly key: string;
  readonly text: string;
}

function exposedSecrets(resource: Resource, secrets: Secrets): Violation[] {
  const manifest = manifestOf(resource);
  const problems = manifest ? inManifest(manifest, secrets) : inOthers(resource, secrets);
  const hint =
    "store it in a Secret, refer to the Secret (envFrom, secretRef), and rotate the value, because it was exposed";
  return [...problems].map(([path, problem]) => ({
    rule: plainSecrets.name,
    subject: labelOf(resource),
    message: `${path} contains ${problem}`,
    hint,
  }));
}

/** Returns known secrets in objects of other providers. These keep their fields for secrets as such; a secret in any other field can be read. */
function inOthers({ type, props }: Resource, secrets: Secrets): Map<string, string> {
  if (type.startsWith("pulumi:")) return new Map();
  const texts = textsOf(props, "").filter(({ key }) => !SECRET_FIELD.test(key));
  return collect(texts.flatMap((text) => found(text, knownIn(text.text, secrets))));
}

function inManifest(manifest: Manifest, secrets: Secrets): Map<string, string> {
  const { kind, props } = manifest;
  const { data, stringData, ...rest } = props;
  const open = kind === "Secret" ? rest : { ...rest, data, stringData };
  const texts = textsOf(open, "").map((text) =>
    text.path.startsWith("binaryData.") ? { ...text, text: Buffer.from(text.text, "base64").toString("latin1") } : text,
  );
  return collect([
    ...texts.flatMap((text) => found(text, knownIn(text.text, secrets) ?? formOf(text.text))),
    ...(kind === "Secret" ? [] : namedAsSecrets(manifest)),
  ]);
}

/** Returns what is called a secret: variables, settings, arguments and annotations. */
function namedAsSecrets(manifest: Manifest): [string, string][] {
  const settings = (path: string, value: Value) =>
    Object.entries(fieldsOf(value)).flatMap(([key, text]) =>
      typeof text === "string" && text !== "" && SECRET_NAME.test(key) && !key.startsWith("checksum/")
        ? [[`${path}.${key}`, "a secret, according to its name"] as [string, string]]
        : [],
    );
  const inPods = podsOf(manifest)
    .flatMap(({ containers }) => containers)
    .flatMap((container) => {
      const name = textAt(container, "name") ?? "?";
      const env = listOf(container["env"]).map((one) => [textAt(one, "name") ?? "", at(one, "value")] as const);
      const args = [...listOf(container["command"]), ...listOf(container["args"])];
      return [...settings(`env of ${name}`, Object.fromEntries(env)), ...inArguments(name, args)];
    });
  const data = manifest.kind === "ConfigMap" ? settings("data", manifest.props["data"]) : [];
  return [...inPods, ...data, ...settings("annotations", at(manifest.props, "metadata", "annotations"))];
}

function inArguments(container: string, args: readonly Value[]): [string, string][] {
  return args.flatMap((argument, index) => {
    const flag = typeof argument === "string" ? SECRET_FLAG.exec(argument) : undefined;
    const next = args[index + 1];
    const value = flag?.groups?.["value"] ?? (typeof next === "string" && !next.startsWith("-") ? next : undefined);
    if (!flag || value === undefined) return [];
    return [[`argument ${index} of ${container}`, "a secret, according to its name"] as [string, string]];
  });
}

function knownIn(text: string, secrets: Secrets): string | undefined {
  const secret = secrets.find(({ value, encoded }) => [value, ...encoded].some((form) => text.includes(form)));
  return secret && `the value of variables:${secret.name}`;
}

/** Returns the base64 of a value behind 0, 1 and 2 bytes, without its ends, which depend on what is before and behind it. */
function encodedIn(value: string): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(value)])
      .toString("base64")
      .replace(/=+$/, "");
    return encoded.slice(Math.ceil((before * 8) / 6), -1);
  });
}

function formOf(text: string): string | undefined {
  return Object.entries(FORMS).find(([, form]) => form.test(text))?.[0];
}

function found({ path }: TextPath, what: string | undefined): [string, string][] {
  return what === undefined ? [] : [[path, what]];
}

/** Returns the first problem of each path. */
function collect(problems: readonly [string, string][]): Map<string, string> {
  return new Map(problems.toReversed());
}

function textsOf(value: Value, path: string, key = ""): Text[] {
  if (typeof value === "string") return [{ path, key, text: value }];
  if (Array.isArray(value)) return value.flatMap((one: Value, index) => textsOf(one, `${path}[${index}]`, key));
  return Object.entries(fieldsOf(value)).flatMap(([name, one]) =>
    textsOf(one, path === "" ? name : `${path}.${name}`, name),
  );
}
