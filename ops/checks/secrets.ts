/** The secrets of a stack, as far as this machine can read them. */
import type { KubeConfig } from "@kubernetes/client-node";
import { filledIn, secretTexts } from "../../config/variables/secretText.ts";
import type { SampleUser, SecretText, Settings } from "../../config/settings.ts";
import type { Credentials } from "../clients/signIn.ts";
import { type StackContext, variableOf } from "../context/context.ts";
import { errorText } from "../../config/errors/errorText.ts";

export interface Secrets {
  /** Returns a text with its variables filled in; undefined if one of them is not known. */
  readonly reveal: (text: SecretText) => string | undefined;
  /** The known ones, by the variable's name. */
  readonly known: Readonly<Record<string, string>>;
  /** Why the stack file could not be decrypted; undefined if it was, or need not be. */
  readonly problem: string | undefined;
}

/**
 * Reads the secrets as a deployment does: an encrypted value of the stack file, or the shell's variable if it cannot be decrypted here.
 * @param decrypt returns the encrypted variables of the stack file in clear; called only if there are some
 */
export async function secretsOf(
  context: StackContext,
  decrypt: () => Promise<Readonly<Record<string, string>>>,
): Promise<Secrets> {
  const encrypted = Object.entries(context.raw.config).flatMap(([key, value]) =>
    "secret" in value ? (/^variables:(.+)$/.exec(key)?.[1] ?? []) : [],
  );
  if (context.local || encrypted.length === 0) return withValues(context, encrypted, {}, undefined);
  try {
    const decrypted = await decrypt();
    return withValues(context, Object.keys(decrypted), decrypted, undefined);
  } catch (error) {
    return withValues(context, encrypted, {}, errorText(error).split("\n")[0]);
  }
}

function withValues(
  context: StackContext,
  encrypted: readonly string[],
  decrypted: Readonly<Record<string, string>>,
  problem: string | undefined,
): Secrets {
  const { raw, settings } = context;
  const valueOf = (name: string): string | undefined => decrypted[name] ?? variableOf(context, name);
  const namesIn = (value: unknown, passOver?: ReadonlySet<string>) =>
    secretTexts(value, passOver).flatMap(({ variables }) => variables);
  const secret = new Set(namesIn(settings, new Set(["clientId"])));
  // A client id in plain text is not a secret, and often a word of host names.
  const ids = namesIn(settings).filter((name) => secret.has(name) || raw.config[`variables:${name}`] === undefined);
  const names = new Set([...encrypted, ...ids]);
  const known = [...names].map((name) => [name, valueOf(name)]).filter((pair): pair is [string, string] => !!pair[1]);
  return {
    reveal: (text) =>
      text.variables.every((name) => valueOf(name)) ? filledIn(text, (name) => valueOf(name) ?? "") : undefined,
    known: Object.fromEntries(known),
    problem,
  };
}

type User = Credentials & Pick<SampleUser, "name" | "email" | "groups">;

/** Returns the sample users whose passwords are known. */
export function sampleUsers({ identityProvider }: Settings, { reveal }: Pick<Secrets, "reveal">): User[] {
  return identityProvider.sampleUsers.flatMap(({ password, ...user }) => {
    const revealed = reveal(password);
    return revealed === undefined ? [] : [{ ...user, password: revealed }];
  });
}

/** Variables of a deploying shell that contain credentials of the engine and of clouds. */
const CREDENTIAL = /PASS(WORD|PHRASE)|SECRET|TOKEN|PRIVATE|CREDENTIAL|ACCESS_KEY|API_?KEY/i;

/** Returns credentials of the shell and of the kubeconfig, to be removed from the output. */
export function credentialsOf({ environment }: StackContext, kubeconfig: KubeConfig | undefined): string[] {
  const ofShell = Object.entries(environment).flatMap(([name, value]) => (CREDENTIAL.test(name) ? [value] : []));
  // A backend in Postgres: its password can have characters that end one in an address.
  const backend = /^\w+:\/\/[^/:@?]*:([^?]+)@/.exec(environment["PULUMI_BACKEND_URL"] ?? "")?.[1];
  const ofCluster = (kubeconfig?.users ?? []).flatMap(({ token, password, keyData }) => [token, password, keyData]);
  return [...ofShell, backend, ...ofCluster].filter((value) => value !== undefined);
}
