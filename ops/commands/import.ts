/** `npx gatehouse import`: entries of `protected_services` for the routes and applications that exist. See docs/importing.md. */
import { resolve } from "node:path";
import { runCommand } from "./command.ts";
import { writeOutput } from "./outputFile.ts";
import type { Shell } from "./shell.ts";
import { secretsOf } from "../checks/secrets.ts";
import { clusterConfigOf, openCluster } from "../context/clusterIdentity.ts";
import { authentikOrigin, stacksWith, type StackContext } from "../context/context.ts";
import { decryptedVariables, openCli } from "../engine/pulumiCli.ts";
import { UserError } from "../../config/errors/userError.ts";
import { kubeConfigOf, unreachableCluster } from "../context/kubeconfig.ts";
import { documentOf } from "../import/document.ts";
import { importServices } from "../import/import.ts";
import { type IdentityAccess, readSource } from "../import/reader.ts";
import { reportOf, reportText } from "../import/report.ts";
import { newStack, type TargetStack } from "../import/target.ts";
import { jsonText } from "../text.ts";

interface Options {
  readonly json?: true;
  readonly output?: string;
  readonly authentik?: string;
}

/**
 * Runs the command.
 * @returns the exit code: 0 when every route has an entry, 1 when one has not, 2 for a wrong command line, configuration or context, and for
 *   a cluster that cannot be read
 */
export function main(args: readonly string[], shell: Shell): Promise<number> {
  return runCommand("import", args, shell, (command, end) =>
    command
      .argument("<context>", "context of the cluster, as in the kubeconfig")
      .option("--authentik <url>", "URL of authentik; the token is AUTHENTIK_TOKEN. Default: that of the stack file")
      .option("--output <file>", "write the YAML to a new file instead of standard output")
      .option("--json", "print the report as JSON on standard output")
      .action(async (context: string, options: Options) => end(await run(context, options, shell))),
  );
}

async function run(context: string, { json, output, authentik }: Options, shell: Shell): Promise<number> {
  const stack = stacksWith(context, shell.project).length > 0 ? await openCluster(context, shell) : undefined;
  const target: TargetStack = stack ?? newStack(context, shell.environment);
  const kubeConfig = stack ? clusterConfigOf(stack) : kubeConfigOf(context, target.environment);
  const access = await identityOf(stack, authentik, shell);
  const source = await readSource(kubeConfig, access, target).catch((error: unknown) => {
    throw unreachableCluster(kubeConfig, error);
  });
  const imported = importServices(source, target);
  const report = reportOf(imported, source, target, stack?.context ?? context, context);
  const file = stack && (stack.raw.file ?? `Pulumi.${stack.stack}.yaml`);
  const hasDomains = target.raw.config["gatehouse:domains"] !== undefined;
  const document = documentOf(imported, { context, file, hasDomains });
  if (output !== undefined)
    writeOutput(resolve(shell.folder, output), document, "name a new file, and copy its entries into the stack file");
  if (json) shell.out(jsonText(report));
  else if (output === undefined) shell.out(document);
  if (!json) shell.error(reportText(report, imported, shell.paint));
  return report.ok ? 0 : 1;
}

/** Returns URL and token of the existing authentik. */
async function identityOf(
  stack: StackContext | undefined,
  given: string | undefined,
  shell: Shell,
): Promise<IdentityAccess> {
  const { protocol = "", username = "", password = "" } = URL.parse(given ?? "") ?? {};
  if (given !== undefined && !/^https?:$/.test(protocol)) {
    throw new UserError(
      `${given.includes("@") ? "--authentik" : `"${given}"`} is not a URL of authentik; write it like https://sso.example.org`,
    );
  }
  if (username !== "" || password !== "") {
    throw new UserError("the URL of authentik has credentials", "set AUTHENTIK_TOKEN instead");
  }
  const settings = stack?.settings.identityProvider;
  const url = given?.replace(/\/+$/, "") ?? (stack && authentikOrigin(stack));
  if (url === undefined) return "authentik was not read, because no stack file names its URL; add --authentik URL";
  const own = shell.environment["AUTHENTIK_TOKEN"];
  // The token of the stack file is sent to the stack's own authentik only.
  const isOwn = stack && [authentikOrigin(stack), stack.plan.identityProviderUrl].some((one) => isSameOrigin(url, one));
  if (stack === undefined || settings === undefined || !isOwn) {
    return own ? { url, token: own } : "authentik was not read, because AUTHENTIK_TOKEN is not set";
  }
  const decrypt = async () => decryptedVariables(await openCli(stack, shell, shell.progress));
  const { reveal, problem } = await secretsOf(stack, decrypt);
  const token = reveal(settings.token) ?? (given === undefined ? undefined : own);
  if (token !== undefined) return { url, token };
  const names = settings.token.variables.join(", ");
  return `authentik was not read, because ${names} is not set${problem === undefined ? "" : ` (${problem})`}`;
}

function isSameOrigin(url: string, other: string | undefined): boolean {
  return URL.parse(url)?.origin === URL.parse(other ?? "")?.origin;
}
