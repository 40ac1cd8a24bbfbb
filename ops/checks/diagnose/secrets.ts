/** Every secret that this process may read, so that each can be removed from its output. */
import type { KubeConfig } from "@kubernetes/client-node";
import { filledIn, secretTexts } from "../../../config/secretText.ts";
import type { SecretText, Settings } from "../../../config/settings.ts";
import type { StackContext } from "../../context/context.ts";
import type { TestUser } from "./evidence/answers.ts";
import type { Observation } from "./evidence.ts";
import { observed } from "./observation.ts";

/** Variables of a deploying shell that hold credentials of the engine and of clouds. */
const ENVIRONMENT = /PASS(WORD|PHRASE)|SECRET|TOKEN|PRIVATE|CREDENTIAL|ACCESS_KEY|API_?KEY/i;

export class Secrets {
  readonly #settings: Settings;
  readonly #stack: Observation<Readonly<Record<string, string>>>;
  readonly #environment: StackContext["environment"];

  /** @param stack the stack file's, decrypted; not observed on the local platform, which has them in its environment */
  constructor({ settings, environment }: StackContext, stack: Observation<Readonly<Record<string, string>>>) {
    this.#settings = settings;
    this.#stack = stack;
    this.#environment = environment;
  }

  /** The API token of the identity provider. */
  get token(): Observation<string> {
    return this.reveal(this.#settings.identityProvider.token);
  }

  /** A secret field in clear. */
  reveal(text: SecretText): Observation<string> {
    const values = text.variables.map((name) => observed(this.#stack)?.[name] ?? this.#environment[name]);
    const missing = text.variables.filter((_, index) => !values[index]);
    if (missing.length > 0) {
      const why = "unavailable" in this.#stack ? ` (${this.#stack.unavailable})` : "";
      return { unavailable: `${missing.join(", ")} not set${why}` };
    }
    return { value: filledIn(text, (_, place) => values[place] ?? "") };
  }

  /** Sample users whose password is known. */
  users(): TestUser[] {
    return this.#settings.identityProvider.sampleUsers.flatMap(({ username, password, groups }) => {
      const known = observed(this.reveal(password));
      return known === undefined ? [] : { username, password: known, groups };
    });
  }

  /** Returns every value that must not be printed. */
  values(kubeconfig: KubeConfig | undefined): string[] {
    const named = new Set(secretTexts(this.#settings).flatMap(({ variables }) => variables));
    const ofShell = Object.entries(this.#environment).filter(([name]) => named.has(name) || ENVIRONMENT.test(name));
    const users = kubeconfig?.users ?? [];
    const ofCluster = users.flatMap(({ token, password, keyData }) => [token, password, keyData]);
    const all = [...ofShell.map(([, value]) => value), ...Object.values(observed(this.#stack) ?? {}), ...ofCluster];
    return all.filter((value) => value !== undefined);
  }
}
