import { setTimeout as pause } from "node:timers/promises";
import { errorText } from "../../config/errors/errorText.ts";
import { type AuthentikApi, once, withAuthentik } from "./authentikApi.ts";
import { LOOKED_UP } from "./defaults.ts";
import { createIfMissing } from "./groups.ts";

/** Polls between two attempts to apply what failed. */
const REAPPLY_EVERY = 15;

/** Objects and versions that a server must have before the engine looks them up. */
interface Expected {
  /** What the server should be; the Terraform provider reads servers of its own release series only (its issues 966 and 912). */
  readonly version: string;
  /** A blueprint file of the worker, by its path, and the SHA-512 of its content. */
  readonly blueprint?: { readonly path: string; readonly hash: string } | undefined;
  /** Created if they do not exist. */
  readonly groups?: readonly string[];
  /** In milliseconds. */
  readonly timeout: number;
  /** Milliseconds between two polls. Default: 1,000. */
  readonly interval?: number;
}

export const SERIES_HINT = "Set version to what runs there, or update the server.";

/** The server is of another release series, which waiting does not change. */
class OtherSeries extends Error {}

/**
 * Waits until authentik has everything that {@link lookUpDefaults} reads, and has applied the stack's blueprint. The status of the server
 * is not a sign: its default blueprints are applied by independent tasks in any order after it answers, and a lookup of an object that does not
 * exist yet is answered 400 (measured). Creates the groups that are missing.
 * @param url origin of the server, without `/api/v3`
 * @param token API token; never part of the error
 * @param report gets what is missing, whenever that changes
 * @throws Error after `timeout` with what is still missing; at once when the server is of another release series
 */
export async function waitUntilReady(
  url: string,
  token: string,
  expected: Expected,
  report: (missing: string) => void,
): Promise<void> {
  const { timeout, interval = 1_000 } = expected;
  const until = Date.now() + timeout;
  let last: string | undefined;
  const poll = async (api: AuthentikApi): Promise<void> => {
    for (let polls = 1; ; polls++) {
      const missing = await missingOf(api, url, expected);
      if (missing === undefined) return;
      if (missing !== last) report(missing);
      last = missing;
      if (expected.blueprint && polls % REAPPLY_EVERY === 0) {
        await applyFailedBlueprints(api).catch(() => undefined); // the server may not answer yet
      }
      if (Date.now() > until) throw notReady(url, missing, timeout);
      await pause(interval);
    }
  };
  await withAuthentik(url, token, poll, once);
}

/**
 * Returns what an existing server lacks now, without waiting.
 * @throws Error when it is of another release series
 */
export function missingNow(url: string, token: string, version: string): Promise<string | undefined> {
  return withAuthentik(url, token, (api) => missingOf(api, url, { version, timeout: 0 }));
}

/** Returns what is missing, as text; undefined if nothing is. @throws OtherSeries */
async function missingOf(api: AuthentikApi, url: string, expected: Expected): Promise<string | undefined> {
  try {
    await refuseOtherSeries(api, url, expected.version);
    for (const check of [missingFlows, missingMappings, missingKeyPair]) {
      const missing = await check(api);
      if (missing !== undefined) return missing;
    }
    const blueprint = expected.blueprint && (await missingBlueprint(api, expected.blueprint));
    if (blueprint !== undefined) return blueprint;
    for (const group of expected.groups ?? []) await createIfMissing(api, group);
    return undefined;
  } catch (error) {
    if (error instanceof OtherSeries) throw error;
    return errorText(error);
  }
}

async function missingFlows(api: AuthentikApi): Promise<string | undefined> {
  for (const slug of LOOKED_UP.flows) {
    if ((await api.all("/flows/instances/", { slug })).length === 0) return `flow "${slug}"`;
  }
  return undefined;
}

async function missingMappings(api: AuthentikApi): Promise<string | undefined> {
  const found = await api.all<{ managed: string | null }>("/propertymappings/provider/scope/");
  const known = new Set(found.map(({ managed }) => managed));
  const missing = LOOKED_UP.mappings.filter((managed) => !known.has(managed));
  return missing.length === 0 ? undefined : `scope mapping ${missing.join(", ")}`;
}

async function missingKeyPair(api: AuthentikApi): Promise<string | undefined> {
  const found = await api.all("/crypto/certificatekeypairs/", { name: LOOKED_UP.keyPair });
  return found.length === 0 ? `key pair "${LOOKED_UP.keyPair}"` : undefined;
}

async function missingBlueprint(
  api: AuthentikApi,
  { path, hash }: NonNullable<Expected["blueprint"]>,
): Promise<string | undefined> {
  const [found] = await api.all<{ status: string; last_applied_hash: string }>("/managed/blueprints/", { path });
  if (found === undefined) return `blueprint ${path}: not discovered by the worker`;
  if (found.status !== "successful") return `blueprint ${path}: status ${found.status}`;
  return found.last_applied_hash === hash
    ? undefined
    : `blueprint ${path}: status successful, not of the current content`;
}

/**
 * Applies default blueprints that failed. Those of a first start can deadlock in the database; the server then tries them again an hour later (observed with
 * `default/flow-oobe.yaml`).
 */
async function applyFailedBlueprints(api: AuthentikApi): Promise<void> {
  const found = await api.all<{ pk: string; status: string }>("/managed/blueprints/");
  for (const { pk, status } of found) if (status === "error") await api.post(`/managed/blueprints/${pk}/apply/`);
}

/** Returns why a server is of another release series than expected; undefined if it is of the same. */
export function seriesProblem(url: string, found: string, expected: string): string | undefined {
  const series = (version: string): string => version.split(".").slice(0, 2).join(".");
  if (series(found) === series(expected)) return undefined;
  return `the identity provider at ${url} is authentik ${found}, and identity_provider.version is ${expected}`;
}

async function refuseOtherSeries(api: AuthentikApi, url: string, expected: string): Promise<void> {
  const { version_current: found } = await api.one<{ version_current?: string }>("/admin/version/");
  if (found === undefined) throw new Error("no version in the response of /admin/version/");
  const problem = seriesProblem(url, found, expected);
  if (problem !== undefined) throw new OtherSeries(`${problem}. ${SERIES_HINT}`);
}

function notReady(url: string, missing: string, timeout: number): Error {
  return new Error(
    `the identity provider at ${url} was not ready after ${timeout / 60_000} min; missing: ${missing}. Read the logs of its pods, or set identity_provider.api_url if this machine reaches it at another address.`,
  );
}
