import { setTimeout as wait } from "node:timers/promises";
import { isLoopbackName } from "../../infra/loopback.ts";
import type { Exposure } from "../../infra/plan/types.ts";
import type { Progress } from "../progress.ts";
import type { Report } from "../verify/verify.ts";

/**
 * How long a deployment waits for applications that resolve `*.localhost` in the cluster, in milliseconds. The kubelet updates the files of
 * CoreDNS up to 60 s after a change, and CoreDNS reads them every 30 s; measured: 45-80 s.
 */
export const MAX_DNS_WAIT_MS = 120_000;

const POLL_MS = 3_000;

export interface Verification {
  /** Runs all checks, or those of the sign-ins alone. */
  readonly verify: (only?: readonly ["sign-in"]) => Promise<Report>;
  readonly exposures: readonly Pick<Exposure, "authentication" | "protection" | "url">[];
  readonly progress: Progress;
}

/**
 * Runs all checks. If nothing but sign-ins to applications on `*.localhost` failed, polls these until they pass, then runs all checks again:
 * such an application asks the identity provider by a name that the cluster's DNS learns after the deployment.
 */
export async function verifyApplications(
  { verify, exposures, progress }: Verification,
  timeout = MAX_DNS_WAIT_MS,
): Promise<Report> {
  const report = await verify();
  const hosts = exposures.filter(signsInByItself).map(({ url }) => url);
  const failed = report.checks.filter(({ ok }) => !ok);
  const isLate =
    failed.length > 0 && failed.every(({ kind, subject }) => kind === "sign-in" && hosts.includes(subject));
  if (!isLate) return report;
  const late = [...new Set(failed.map(({ subject }) => subject))].join(", ");
  const passed = await progress.step(
    `Waiting until the cluster's DNS resolves the hosts, for ${late}`,
    () => polls(async () => (await verify(["sign-in"])).checks.every(({ ok }) => ok), timeout),
    "1 min",
  );
  return passed ? verify() : report;
}

function signsInByItself({ authentication, protection, url }: Verification["exposures"][number]): boolean {
  return authentication === "none" && protection !== "open" && isLoopbackName(new URL(url).hostname);
}

/** @returns whether the check passed within `timeout` milliseconds */
async function polls(check: () => Promise<boolean>, timeout: number): Promise<boolean> {
  const deadline = Date.now() + timeout;
  while (Date.now() < deadline) {
    if (await check()) return true;
    await wait(Math.min(POLL_MS, Math.max(0, deadline - Date.now())));
  }
  return false;
}
