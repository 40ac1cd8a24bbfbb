/** Every secret that this process may come to know, so that each can be taken out of what it tells, and the few that it needs. */
import type { KubeConfig } from "@kubernetes/client-node";
import type { SecretText, Settings } from "../../config/settings.ts";
import type { StackContext } from "../context/context.ts";
import type { Person } from "./evidence/answers.ts";
import type { Look } from "./evidence.ts";
import { seen } from "./look.ts";

/** Variables of a deploying shell that hold credentials of the engine and of clouds. */
const ENVIRONMENT = /PASS(WORD|PHRASE)|SECRET|TOKEN|PRIVATE|CREDENTIAL|ACCESS_KEY|API_?KEY/i;

export class Secrets {
  readonly #settings: Settings;
  readonly #stack: Look<Readonly<Record<string, string>>>;
  readonly #environment: StackContext["environment"];

  /** @param stack the stack file's, decrypted; unseen on a platform that keeps its own in the environment */
  constructor({ settings, environment }: StackContext, stack: Look<Readonly<Record<string, string>>>) {
    this.#settings = settings;
    this.#stack = stack;
    this.#environment = environment;
  }

  /** The API token of the identity provider. */
  get token(): Look<string> {
    return this.reveal(this.#settings.identityProvider.token);
  }

  /** A secret field in clear. */
  reveal({ template, variables }: SecretText): Look<string> {
    const values = variables.map((name) => seen(this.#stack)?.[name] ?? this.#environment[name]);
    const missing = variables.filter((_, index) => !values[index]);
    if (missing.length > 0) {
      const why = "unseen" in this.#stack ? ` (${this.#stack.unseen})` : "";
      return { unseen: `${missing.join(", ")} not set${why}` };
    }
    return {
      seen: variables.reduce(
        (text, name, index) => text.replaceAll(`\${${name}}`, () => values[index] ?? ""),
        template,
      ),
    };
  }

  /** Sample users whose password is known. */
  people(): Person[] {
    return this.#settings.identityProvider.sampleUsers.flatMap(({ username, password, groups }) => {
      const known = seen(this.reveal(password));
      return known === undefined ? [] : { username, password: known, groups };
    });
  }

  /** Every value that must not be told. */
  values(kubeconfig: KubeConfig | undefined): string[] {
    const named = secretNames(this.#settings);
    const ofShell = Object.entries(this.#environment).filter(([name]) => named.has(name) || ENVIRONMENT.test(name));
    const users = kubeconfig?.users ?? [];
    const ofCluster = users.flatMap(({ token, password, keyData }) => [token, password, keyData]);
    const all = [...ofShell.map(([, value]) => value), ...Object.values(seen(this.#stack) ?? {}), ...ofCluster];
    return all.filter((value) => value !== undefined);
  }
}

/** The variables of all secret fields, wherever they stand. */
function secretNames(settings: unknown): Set<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { template, variables } = value as Partial<SecretText>;
    if (typeof template === "string" && variables !== undefined) for (const name of variables) names.add(name);
    else Object.values(value).forEach(visit);
  };
  visit(settings);
  return names;
}
