import type { ConnectionOptions } from "node:tls";
import * as pulumi from "@pulumi/pulumi";
import pRetry, { AbortError } from "p-retry";
import { Client } from "pg";
import { errorText } from "../../config/errors/errorText.ts";

/** The server as the deploying machine reaches it. */
interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** Never part of an error. */
  readonly password: string;
  readonly ssl: ConnectionOptions | false;
  /** Whether the server changes its password to that of the Secret by itself, so that it rejects the password until then. */
  readonly followsSecret: boolean;
}

/** Ten minutes: a first start pulls images and creates volumes, and the user may have to start a port forward. */
const ATTEMPTS = 600;
const PAUSE_MS = 1_000;
/** Number of attempts after which the user is informed. */
const PATIENCE = 20;
/** invalid_password, invalid_authorization_specification */
const REFUSED = ["28P01", "28000"];

/**
 * Waits until a server that the stack installs accepts its administrator: the first resource inside it would not wait.
 * @param hint what the user can do to reach it; printed after 20 seconds, and in the error
 * @param pause between two attempts, in milliseconds
 * @throws after 600 attempts, ten minutes; at once when the server has another password and does not follow the Secret
 */
export async function waitUntilAnswers(address: Address, hint: string, pause = PAUSE_MS): Promise<void> {
  const server = `Postgres at ${address.host}:${address.port}`;
  await pRetry(() => signIn(address), {
    retries: ATTEMPTS,
    factor: 1,
    minTimeout: pause,
    maxTimeout: pause,
    onFailedAttempt: ({ attemptNumber, error }) => {
      if (attemptNumber === PATIENCE) void pulumi.log.info(`waiting for ${server} (${errorText(error)}); ${hint}`);
    },
  }).catch((error: unknown) => {
    throw new Error(`${server} does not answer this machine: ${errorText(error)}; ${hint}`, { cause: error });
  });
}

async function signIn({ followsSecret, ...address }: Address): Promise<void> {
  const client = new Client({ ...address, database: "postgres", connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (error) {
    if (followsSecret || !REFUSED.includes((error as { code?: string }).code ?? "")) throw error;
    throw new AbortError(
      `it rejects postgres.password (${errorText(error)}): the password is that of its first start until it is changed in the server`,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}
