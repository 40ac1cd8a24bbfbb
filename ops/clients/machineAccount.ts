/** A machine's account, as in its Secret (docs/applications.md, "Machines"). */
import { withClient } from "./http.ts";

export interface MachineAccount {
  readonly username: string;
  readonly password: string;
  readonly tokenUrl: string;
  readonly scope: string;
  /** Client id of each service that it has access to, by origin. */
  readonly clientIds: ReadonlyMap<string, string>;
}

/**
 * Reads a machine account.
 * @param data of the Secret `<name>-account`, decoded, or the environment that was created from it
 * @throws Error naming the key that is missing or broken, never a value
 */
export function readMachineAccount(data: Readonly<Record<string, string | undefined>>): MachineAccount {
  const read = (key: string): string => {
    const value = data[key];
    if (value === undefined || value === "") throw new Error(`the account's Secret has no ${key}; deploy again`);
    return value;
  };
  return {
    username: read("USERNAME"),
    password: read("PASSWORD"),
    tokenUrl: read("TOKEN_URL"),
    scope: read("SCOPE"),
    clientIds: parseClientIds(read("CLIENT_IDS")),
  };
}

function parseClientIds(text: string): Map<string, string> {
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
  } catch {
    throw new Error("CLIENT_IDS of the account's Secret is not a JSON object; deploy again");
  }
}

/** The identity provider's response to a request for a token. */
export interface TokenResponse {
  readonly status: number;
  readonly token?: string | undefined;
  /** The identity provider's own name of the error. */
  readonly error?: string | undefined;
}

/** Requests a token for one service with the password of the account. */
export function requestToken(account: MachineAccount, clientId: string): Promise<TokenResponse> {
  return withClient(async (client) => {
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      username: account.username,
      password: account.password,
      scope: account.scope,
    });
    const { status, body } = await client.send(account.tokenUrl, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: form.toString(),
    });
    const { access_token: token, error } = parse(body);
    return { status, token, error };
  });
}

/** Returns the token of {@link requestToken}. @throws Error without one, with the identity provider's own name of the error */
export async function tokenFor(account: MachineAccount, clientId: string): Promise<string> {
  const { status, token, error } = await requestToken(account, clientId);
  if (status === 200 && token !== undefined) return token;
  throw new Error(`expected a token for the machine, got ${status} ${error ?? ""}`.trim());
}

function parse(body: string): { access_token?: string; error?: string } {
  try {
    return JSON.parse(body) as { access_token?: string; error?: string };
  } catch {
    return {};
  }
}
