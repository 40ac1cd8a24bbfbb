/** Template variables: `${NAME}` in a text is `variables:NAME` of the stack, else the environment variable of that name. */
import type { Problem } from "../errors/problems.ts";
import { isKubernetesAddress } from "../schema/networks.ts";
import { isEmail } from "../schema/email.ts";
import { isDnsName } from "../schema/dnsName.ts";
import { rootCertificates } from "./rootCertificates.ts";
import { formatLocation, type Location } from "../errors/location.ts";
import type { SecretText } from "./secretText.ts";
import { withHint } from "../errors/userError.ts";

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** A value of the stack's configuration: plain text, or a secret, whose value is not read. */
export type RawValue = { readonly value: unknown } | { readonly secret: true };
export type Environment = Readonly<Record<string, string | undefined>>;

/** Looks variables up and collects what is wrong with them. No value that it finds is ever part of a message. */
export class Variables {
  readonly problems: Problem[] = [];
  readonly #warnings: string[] = [];
  readonly #postponed = new Set<string>();
  /** Names of the variables in secret fields. */
  readonly #secrets = new Set<string>();
  /** Variables in fields that may be plain or secret. */
  readonly #published: { readonly name: string; readonly location: Location }[] = [];
  readonly #stack: string;
  readonly #config: Readonly<Record<string, RawValue>>;
  readonly #environment: Environment;
  readonly #secretsRequired: boolean;

  /** @param secretsRequired false makes one warning of all missing variables of unresolved texts, and one of each secret in plain text */
  constructor(
    stack: string,
    config: Readonly<Record<string, RawValue>>,
    environment: Environment,
    secretsRequired: boolean,
  ) {
    this.#stack = stack;
    this.#config = config;
    this.#environment = environment;
    this.#secretsRequired = secretsRequired;
  }

  /** Problems that do not prevent a deployment. */
  get warnings(): string[] {
    const names = [...this.#postponed].join(", ");
    const command = `pulumi config set --secret variables:NAME --stack ${this.#stack}`;
    const postponed =
      names === "" ? [] : [`not set yet, and needed to deploy: ${names}; run: ${command}, or export them`];
    return [...this.#warnings, ...postponed];
  }

  /** Returns a problem for each secret in a client id. Call it after all fields have been looked up. */
  get publishedSecrets(): Problem[] {
    return this.#published
      .filter(({ name }) => this.#secrets.has(name))
      .map(({ name, location }) => ({
        ...location,
        message: `template variable "${name}" is also in a secret field, and a client id is part of the URL of each sign-in`,
        hint: "use another variable here, and rotate the secret if it was deployed",
      }));
  }

  /** Reports a variable in a text that stays as it is. */
  literal(text: string, location: Location): string {
    if (text.search(VARIABLE) >= 0) this.#report(location, "takes no template variable", "write the value itself");
    return text;
  }

  /** Returns the text with the values of variables that are in plain text in the stack file. */
  inlined(text: string): string {
    return text.replaceAll(VARIABLE, (written, name: string) => {
      const value = this.#inStackFile(name);
      // What is filled in later must be a variable of this text, not of a value.
      return value === undefined || value.includes("${") ? written : value;
    });
  }

  /** Returns the text with its variables filled in; undefined after a problem. */
  plain(text: string, location: Location): string | undefined {
    const before = this.problems.length;
    const filled = text.replaceAll(VARIABLE, (_, name: string) => this.#plainValue(name, location) ?? "");
    if (text.replaceAll(VARIABLE, "").includes("${")) {
      this.#report(location, "found ${ without a variable name", "write ${NAME}, with letters, digits and _");
    }
    return this.problems.length === before ? filled : undefined;
  }

  /** Returns a port: a number, or a variable that contains one; undefined after a problem. */
  port(value: number | string, location: Location): number | undefined {
    if (typeof value === "number") return value;
    const digits = this.plain(value, location);
    if (digits === undefined) return undefined;
    const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0;
    if (port >= 1 && port <= 65_535) return port;
    this.#report(location, `${value} is not a port`, "set it to a number from 1 to 65535");
    return undefined;
  }

  /** Returns the origin of an http or https address without credentials, path and query; undefined after a problem. */
  address(text: string, location: Location): string | undefined {
    const filled = this.plain(text, location);
    if (filled === undefined) return undefined;
    const url = URL.parse(filled);
    // With a dot at its end it is another host for comparisons, and the same one for Traefik.
    const isOrigin = url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
    if (isOrigin && !url.hostname.endsWith(".")) return url.origin;
    const hint =
      "write it like https://sso.example.org, without credentials, path or query, and without a dot at the end of the host";
    this.#report(location, "is not the http or https address of a server", hint);
    return undefined;
  }

  /** Returns an email address that authentik accepts; undefined after a problem. With another one its first start creates no administrator. */
  email(text: string, location: Location): string | undefined {
    const filled = this.plain(text, location);
    if (filled === undefined || isEmail(filled)) return filled;
    this.#report(location, "is not an email address", "write it like admin@example.org");
    return undefined;
  }

  /** Returns the name or the IP address of a server; undefined after a problem. */
  host(text: string, location: Location): string | undefined {
    const filled = this.plain(text, location);
    if (filled === undefined || isKubernetesAddress(filled) || isDnsName(filled)) return filled;
    this.#report(
      location,
      "is not a DNS name in lower case or an IP address",
      "write it like db.example.org, and the port in port",
    );
    return undefined;
  }

  /** Returns root certificates in PEM; undefined after a problem. */
  rootCertificates(text: string, location: Location): string | undefined {
    const filled = this.plain(text, location);
    const found = filled === undefined ? undefined : rootCertificates(filled);
    if (typeof found !== "object") return found;
    this.#report(location, found.message, found.hint);
    return undefined;
  }

  /** Returns a text that stays unresolved; its variables must be set, and must be secret. */
  secret(template: string, location: Location): SecretText {
    const text = this.#unresolved(template, location, "--secret ");
    for (const name of text.variables) {
      this.#secrets.add(name);
      const configured = this.#config[`variables:${name}`];
      if (configured === undefined || "secret" in configured) continue;
      const message = `variables:${name} is in plain text in the stack file`;
      const command = `pulumi config set --secret variables:${name} --stack ${this.#stack}`;
      // The state backend stores the configuration of each deployment next to the state, also in plain text.
      const hint = `rotate the value if the stack was deployed or the file committed, and run: ${command}`;
      if (this.#secretsRequired) this.#report(location, message, hint);
      else this.#warnings.push(withHint(`${formatLocation(location)}: ${message}`, hint));
    }
    return text;
  }

  /**
   * Returns a text that may be plain or secret, such as a client id; its variables must be set. Those in plain text in the stack file are resolved, so that the
   * plan and the access diff contain their values.
   */
  unresolved(text: string, location: Location): SecretText {
    for (const [, name = ""] of text.matchAll(VARIABLE)) this.#published.push({ name, location });
    return this.#unresolved(this.inlined(text), location, "");
  }

  #unresolved(template: string, location: Location, flag: "" | "--secret "): SecretText {
    const variables = Array.from(template.matchAll(VARIABLE), ([, name = ""]) => name);
    for (const name of variables) {
      if (this.#isSet(name)) continue;
      if (this.#secretsRequired) this.problems.push(this.#missing(name, location, flag));
      else this.#postponed.add(name);
    }
    return { template, variables };
  }

  #inStackFile(name: string): string | undefined {
    const configured = this.#config[`variables:${name}`];
    return configured === undefined || "secret" in configured ? undefined : scalar(configured.value);
  }

  #plainValue(name: string, location: Location): string | undefined {
    const configured = this.#config[`variables:${name}`];
    if (configured !== undefined && "secret" in configured) {
      const command = `pulumi config set --plaintext variables:${name} VALUE --stack ${this.#stack}`;
      this.#report(
        location,
        `template variable "${name}" is secret, but this field is not`,
        `use another variable, or run: ${command}`,
      );
      return undefined;
    }
    if (!this.#isSet(name)) {
      this.problems.push(this.#missing(name, location, ""));
      return undefined;
    }
    return configured === undefined ? this.#environment[name] : scalar(configured.value);
  }

  /** Returns whether a variable has a value. Empty counts as not set: a shell exports such variables by accident. */
  #isSet(name: string): boolean {
    const configured = this.#config[`variables:${name}`];
    if (configured === undefined) return (this.#environment[name] ?? "") !== "";
    return "secret" in configured || (scalar(configured.value) ?? "") !== "";
  }

  #missing(name: string, location: Location, flag: "" | "--secret "): Problem {
    // Without a value on the command line Pulumi asks for it, so that no secret stays in the shell's history.
    const value = flag === "" ? " VALUE" : "";
    const command = `pulumi config set ${flag}variables:${name}${value} --stack ${this.#stack}`;
    return {
      ...location,
      message: `template variable "${name}" is not set`,
      hint: `run: ${command}, or: export ${name}=...`,
    };
  }

  #report(location: Location, message: string, hint: string): void {
    this.problems.push({ ...location, message, hint });
  }
}

function scalar(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}
