/** `npx gatehouse diagnose`: explains a login loop, an unprotected service, a domain that does not work. See docs/diagnose.md. */
import { join } from "node:path";
import type { Command } from "commander";
import { runCommand } from "./command.ts";
import type { Shell } from "./shell.ts";
import { openCluster } from "../context/clusterIdentity.ts";
import { claimDataFolder } from "../toolchain/dataFolder.ts";
import { collect } from "../checks/diagnose/collect.ts";
import { redactAll, redactor } from "../checks/redact.ts";
import { describe, isAnythingWrong } from "../checks/diagnose/report.ts";
import { writeReport } from "../checks/diagnose/reportFiles.ts";
import { diagnosisOf } from "../checks/diagnose/diagnosis.ts";
import { painter } from "../terminal/paint.ts";
import { jsonText } from "../text.ts";
import { errorText } from "../../config/errors/errorText.ts";

/**
 * Names the cause of what is wrong with a deployment, and writes a report without secrets into `<data>/diagnose/`.
 * @returns the exit code: 0 without a symptom, 1 with one, 2 for a wrong command line, context or configuration
 */
export function main(args: readonly string[], shell: Shell): Promise<number> {
  return runCommand("diagnose", args, shell, (command, end) =>
    command
      .argument("<context>", "context of the cluster, as in kubernetes:context of its stack file")
      .argument("[host]", "only this host or address, in the plan or not; default: every one of the plan")
      .option("--json", "print the diagnosis as JSON")
      .action(async (context: string, host: string | undefined, { json }: { json?: true }) => {
        end(await diagnose(context, host === undefined ? undefined : hostOf(host, command), json ?? false, shell));
      }),
  );
}

/** Returns the host name of an argument: a name, a name with a port, an address. */
function hostOf(text: string, command: Command): string {
  const host = URL.parse(text.includes("://") ? text : `http://${text}`)?.hostname;
  return host ? host : command.error(`error: "${text}" is neither a host nor an address`);
}

async function diagnose(name: string, host: string | undefined, json: boolean, shell: Shell): Promise<number> {
  const context = await openCluster(name, shell);
  const at = shell.now();
  const { evidence, secrets, url } = await collect(context, shell, host);
  const redact = redactor(secrets);
  const diagnosis = redactAll(diagnosisOf(evidence, host, url), redact);
  const machine = jsonText({ at: at.toISOString(), ...diagnosis });
  const text = redact(`${at.toISOString()}\n${describe(diagnosis, painter(false))}\n${machine}`);
  shell.out(json ? machine : describe(diagnosis, shell.paint));
  try {
    claimDataFolder(shell.data);
    const file = writeReport(join(shell.data, "diagnose"), name, at, text);
    if (!json) shell.out(`Report: ${file}\n`);
  } catch (error) {
    shell.error(`The report was not written: ${errorText(error)}\n`);
  }
  return isAnythingWrong(diagnosis) ? 1 : 0;
}
