import type { Place, StackContext } from "../context/context.ts";
import type { Progress } from "../progress.ts";
import { type Report, verifyContext } from "../verify/verify.ts";
import { waitForOutposts } from "./outposts.ts";

/** Verifies a context right after its deployment: waits until the outposts serve every host, then runs all checks. */
export async function verifyDeployment(context: StackContext, place: Place, progress: Progress): Promise<Report> {
  const { plan } = context;
  if (plan.exposures.some(({ authentication }) => authentication === "forward-auth")) {
    const missing = await progress.step("Waiting for the outposts", (report) => waitForOutposts(plan, report), "2 s");
    if (missing.length > 0) progress.note(`Hosts that do not redirect to the login page yet: ${missing.join(", ")}`);
  }
  return verifyContext(context, place, progress);
}
