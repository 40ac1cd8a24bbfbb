import pTimeout from "p-timeout";
import type { JobTarget } from "../../../../infra/verification/target.ts";
import { withoutSecrets } from "../../redact.ts";
import { errorText } from "../../../../config/errors/errorText.ts";
import { stateOf, summary } from "../../check.ts";
import { type MachineAccount, readMachineAccount } from "../../../clients/machineAccount.ts";
import { outsideProbes, Observations } from "../outside.ts";
import { firstOf } from "../../../text.ts";
import { type ProbeCheck, runProbes } from "../probe.ts";
import type { Accounts } from "../signInProbes.ts";
import { sourceTimes } from "./freshness.ts";
import { waitForGateway } from "./gateway.ts";
import { pushMetrics } from "./metrics.ts";

/** Kubernetes kills the pod after 900 s (infra/verification/verification.ts). The rest is for its start, the times of the data, and the metrics. */
const LIMIT_MS = 800_000;
const MAX_LISTED = 5;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs the probes that need no access to the cluster, and pushes the metrics. One JSON object per line: each failed or skipped check when its probe ends,
 * then the summary.
 * @param environment the account's Secret (USERNAME and so on), where there is one, and PUSHGATEWAY, where metrics go
 * @param print receives the lines; none contains a secret
 * @param limit milliseconds after which it ends with what it has: an outage delays each probe by minutes
 * @returns the exit code: 1 when a check failed, 2 when the metrics did not arrive, so that an unreachable Pushgateway is noticed
 */
export async function verifyTarget(
  target: JobTarget,
  environment: Environment,
  print: (line: string) => void,
  limit = LIMIT_MS,
): Promise<number> {
  const began = Date.now();
  const redact = withoutSecrets([environment["PASSWORD"] ?? ""]);
  const log = (event: Readonly<Record<string, unknown>>): void => {
    print(redact(JSON.stringify({ time: new Date().toISOString(), stack: target.stack, ...event })));
  };
  const [first] = target.exposures;
  if (first) {
    const report = (detail: string, attempt: number): void =>
      log({ level: "info", event: "wait", subject: first.url, detail, attempt });
    await waitForGateway(first.url, report);
  }
  const observations = new Observations();
  const probes = outsideProbes(target, accountsOf(target, environment), observations);
  const unfinished = new Set(probes);
  const results: Pick<ProbeCheck, "ok" | "skipped">[] = [];
  const running = runProbes(probes, undefined, (probe, ended) => {
    unfinished.delete(probe);
    results.push(...ended);
    for (const { kind, subject, name, detail, response, hint, ...check } of ended) {
      const state = stateOf(check);
      if (state === "passed") continue;
      const level = state === "failed" ? "error" : "warn";
      const more = { ...(response && { response }), ...(hint && { hint }) };
      log({ level, event: "check", state, kind, subject, check: name, detail, ...more });
    }
  });
  const left = Math.max(1, began + limit - Date.now());
  await pTimeout(running, { milliseconds: left, message: false });
  const late = [...unfinished].map(({ kind, subject }) => `${kind} of ${subject}`);
  if (late.length > 0) {
    results.push({ ok: false });
    const detail = `after ${limit / 1000} s, ${late.length} of ${probes.length} probes did not end: ${firstOf(late, MAX_LISTED).join(", ")}`;
    const check = "the verification ends in time";
    log({ level: "error", event: "check", state: "failed", kind: "routes", subject: target.stack, check, detail });
  }
  const checks = summary(results);
  const seconds = (Date.now() - began) / 1000;
  const ok = checks.failed === 0;
  log({ level: ok ? "info" : "error", event: "summary", ...checks, seconds });
  const pushgateway = environment["PUSHGATEWAY"];
  if (pushgateway !== undefined) {
    const { expiries } = observations;
    const sources = await sourceTimes(target.exposures);
    try {
      await pushMetrics(pushgateway, { stack: target.stack, checks, seconds, expiries, sources });
    } catch (error) {
      log({ level: "error", event: "metrics", detail: `${pushgateway} did not take them: ${errorText(error)}` });
      return ok ? 2 : 1;
    }
  }
  return ok ? 0 : 1;
}

/** Returns the machine account of the job, if any; the job has no password of a `basic` service. */
function accountsOf({ groups }: JobTarget, environment: Environment): Accounts {
  const common = { users: [], basic: new Map<string, never>() };
  const noAccount = { reason: "the job has no account", hint: "name one in gatehouse:verification, and deploy" };
  if (environment["USERNAME"] === undefined) return { ...common, machine: undefined, noAccount };
  const account: MachineAccount = readMachineAccount(environment);
  return { ...common, machine: { account, groups }, noAccount };
}
