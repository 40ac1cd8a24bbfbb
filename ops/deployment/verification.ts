import { isLoopbackName } from "../../infra/loopback.ts";
import type { Exposure } from "../../infra/plan/types.ts";
import type { Kind } from "../checks/verify/hints.ts";
import { type Report, verifyContext } from "../checks/verify/verify.ts";
import type { ShellEnvironment, StackContext } from "../context/context.ts";
import { type Progress, SILENT } from "../terminal/progress.ts";
import { polls } from "../engine/polls.ts";
import { waitForOutposts } from "./outposts.ts";

/**
 * How long a deployment waits for applications that resolve `*.localhost` in the cluster, in milliseconds. The kubelet updates the files of
 * CoreDNS up to 60 s after a change, and CoreDNS reads them every 30 s; measured: 45-80 s.
 */
const MAX_DNS_WAIT_MS = 120_000;

/**
 * Verifies a context right after its deployment: waits until the outposts serve every host, then runs all checks. In a cluster, also waits for
 * applications until its DNS resolves their hosts.
 */
export async function verifyDeployment(
  context: StackContext,
  shell: ShellEnvironment,
  progress: Progress,
): Promise<Report> {
  const { plan, local } = context;
  if (plan.exposures.some(({ authentication }) => authentication === "forward-auth")) {
    const missing = await progress.step("Waiting for the outposts", (report) => waitForOutposts(plan, report), "2 s");
    if (missing.length > 0) progress.note(`Hosts that do not redirect to the login page yet: ${missing.join(", ")}`);
  }
  if (local) return verifyContext(context, shell, progress);
  const verify = (only?: readonly ["sign-in"]): Promise<Report> =>
    verifyContext(context, shell, only ? SILENT : progress, only);
  return verifyApplications({ verify, exposures: plan.exposures, progress });
}

interface Verification {
  /** Runs all checks, or those of the sign-ins alone. */
  readonly verify: (only?: readonly ["sign-in"]) => Promise<Report>;
  readonly exposures: readonly Pick<Exposure, "authentication" | "protection" | "url">[];
  readonly progress: Progress;
}

/** Checks that an application without the name of its identity provider fails as well, because it does not start. */
const OF_APPLICATIONS: readonly Kind[] = ["sign-in", "routes", "cluster"];

/**
 * Runs all checks. If nothing but sign-ins to applications on `*.localhost`, and other checks of these applications, failed, polls the sign-ins
 * until they pass, then runs all checks again: such an application requests the identity provider by a name that the cluster's DNS only resolves
 * some time after the deployment.
 */
export async function verifyApplications(
  { verify, exposures, progress }: Verification,
  timeout = MAX_DNS_WAIT_MS,
): Promise<Report> {
  const report = await verify();
  const hosts = exposures.filter(signsInByItself).map(({ url }) => url);
  const failed = report.checks.filter(({ ok }) => !ok);
  const signIns = failed.filter(({ kind }) => kind === "sign-in");
  const isLate =
    failed.every(({ kind, subject }) => OF_APPLICATIONS.includes(kind) && hosts.includes(subject)) &&
    signIns.length > 0;
  if (!isLate) return report;
  const late = [...new Set(signIns.map(({ subject }) => subject))].join(", ");
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
