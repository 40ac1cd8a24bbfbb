/** The stack of `diagnose.test.ts`, and what its scenarios share. */
import { expect, vi } from "vitest";
import {
  type Config,
  type OwnPlatform,
  type OwnStack,
  SECRETS,
  service,
  startOwnPlatform,
} from "../../helpers/ownPlatform.ts";
import { identityProvider } from "../../helpers/sections.ts";
import type { HostDiagnosis } from "../../../ops/checks/diagnose/diagnosis.ts";
import { Diagnoser } from "./diagnoser.ts";

export const PASSWORDS = { INGE_PASSWORD: "inge's canary password", GAST_PASSWORD: "gast's canary password" };
const BASIC = { type: "basic", basic_auth: { username: "ops", password: "${BASIC_PASSWORD}" } };
export const SERVICES = [
  service("app"),
  service("team", { domains: ["localhost", "partner"], groups: ["staff"] }),
  service("legacy", BASIC),
];
const USERS = [
  { username: "inge", name: "Inge Ås", email: "inge@example.org", password: "${INGE_PASSWORD}", groups: ["staff"] },
  { username: "gast", name: "Gast", email: "gast@example.org", password: "${GAST_PASSWORD}", groups: [] },
];

export let own: OwnPlatform;
export let stack: OwnStack;
export let diagnoser: Diagnoser;

export async function start(): Promise<void> {
  Object.assign(process.env, PASSWORDS);
  own = await startOwnPlatform();
  stack = await own.open("diagnose");
  const { password } = own.platform.postgres;
  diagnoser = new Diagnoser(own, stack, { ...SECRETS, ...PASSWORDS, POSTGRES_PASSWORD: password });
}

export async function stop(): Promise<void> {
  diagnoser.remove();
  await own.stop();
}

/** The stack with the users, a domain that is not enabled, and these services. */
export function config(
  services = SERVICES,
  { partner = {}, users = USERS }: { partner?: object; users?: object[] } = {},
): Config {
  const port = own.platform.httpPort;
  const about = { enabled: false, base_domain: "partner.localhost", protocol: "http", description: "Partners", port };
  return own.installed(services, {
    "gatehouse:domains": { localhost: { enabled: true, port }, partner: { ...about, ...partner } },
    "gatehouse:identity_provider": identityProvider({ sample_users: users }),
  });
}

/** Returns the symptom and the causes of a host. */
export function brief({ symptom, cause, also }: HostDiagnosis): string[] {
  return [symptom.kind, cause?.subject ?? "none", ...also.map((finding) => `also ${finding.subject}`)];
}

/** Waits until a host has exactly this symptom and these causes; the gateway observes a change after a moment. */
export async function named(host: string, expected: readonly string[], of = config()): Promise<HostDiagnosis> {
  let found: HostDiagnosis | undefined;
  const observe = async (): Promise<void> => {
    const { code, diagnosis } = await diagnoser.run(of, [host]);
    found = diagnosis.hosts[0];
    expect(found && brief(found)).toEqual(expected);
    expect(code).toBe(1);
  };
  await vi.waitFor(observe, { timeout: 240_000, interval: 200 });
  if (found === undefined) throw new Error("no host was diagnosed");
  return found;
}

export async function healthy(): Promise<void> {
  const observe = async (): Promise<void> => {
    const { code, diagnosis } = await diagnoser.run(config());
    expect(diagnosis.hosts.filter(({ cause, symptom }) => cause ?? symptom.kind !== "none")).toEqual([]);
    expect(diagnosis.stackFindings).toEqual([]);
    expect(diagnosis.limits).toEqual([]);
    expect(code).toBe(0);
  };
  await vi.waitFor(observe, { timeout: 240_000, interval: 500 });
}
