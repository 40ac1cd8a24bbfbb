import type { ShellEnvironment, StackContext } from "../../context/context.ts";
import { type Progress, SILENT } from "../../terminal/progress.ts";
import { type Report, verifyContext } from "../../checks/verify/verify.ts";
import { verifyApplications } from "./applications.ts";
import { waitForOutposts } from "./outposts.ts";

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
