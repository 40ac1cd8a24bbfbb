/** `gatehouse init`: writes a first stack file, and the files of the Pulumi project around it. */
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../config/files/folders.ts";
import { parseStack, parseStackFile } from "../../config/load.ts";
import { errorText } from "../../config/errors/errorText.ts";
import { UserError } from "../../config/errors/userError.ts";
import type { Environment } from "../../config/variables/variables.ts";
import { kubeConfigFiles } from "../../infra/kubeConfig.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import { knownContexts } from "../context/context.ts";
import { type Answers, stackOf } from "../init/answers.ts";
import { projectFiles, projectOf } from "../init/projectFiles.ts";
import { stackFile, variablesOf } from "../init/stackFile.ts";
import { argument } from "../text.ts";
import { runCommand } from "./command.ts";
import type { Shell } from "./shell.ts";

interface Options {
  readonly context?: string;
  readonly domain?: readonly string[];
  readonly authentik?: string;
  readonly dataApi?: boolean;
  readonly stack?: string;
}

/** Runs the command. @returns the exit code: 0, 2 for a wrong command line, for answers that make no valid stack file, and for files that exist */
export function main(args: readonly string[], shell: Shell): Promise<number> {
  return runCommand("init", args, shell, (command) =>
    command
      .option("--context <name>", "context of the cluster in the kubeconfig")
      .option(
        "--domain <domain...>",
        "base domains, e.g. localhost apps.example.org; default without a terminal: localhost",
      )
      .option("--authentik <install|url>", "deploy authentik, or use the existing one at this URL; default: install")
      .option("--data-api", "open a database as a public read-only API")
      .option("--no-data-api", "do not")
      .option("--stack <name>", "name of the stack; default: that of the context")
      .action(async (options: Options) => write(await answersOf(options, shell), shell)),
  );
}

/** Asks the four questions that no option answers. Without a terminal, all but the context have a default. */
async function answersOf(options: Options, { ask, environment, error }: Shell): Promise<Answers> {
  const known = currentContext(environment);
  if (ask === undefined && options.context === undefined) {
    throw new UserError(
      "name the context of the cluster: npx gatehouse init --context NAME. To answer questions instead, run it in a terminal.",
    );
  }
  const answer = async (given: string | undefined, question: string, standard?: string): Promise<string> => {
    if (given !== undefined) return given;
    for (;;) {
      const line = await ask?.(standard === undefined ? `${question}: ` : `${question} [${standard}]: `);
      if (ask !== undefined && line === undefined) throw new UserError("no answer: nothing was written");
      const typed = line?.trim();
      if (typed || standard !== undefined) return typed || (standard ?? "");
      error("There is no default.\n");
    }
  };
  const context = await answer(options.context, "Context of the cluster in the kubeconfig", known);
  const domains = await answer(
    options.domain?.join(" "),
    "Base domains of your services, e.g. localhost apps.example.org",
    "localhost",
  );
  const authentik = await answer(options.authentik, "authentik: install, or the URL of an existing one", "install");
  const accepts = async (question: string): Promise<boolean> => {
    for (;;) {
      const typed = await answer(undefined, question, "no");
      if (/^(y(es)?|no?)$/i.test(typed)) return /^y/i.test(typed);
      error("Answer yes or no.\n");
    }
  };
  const dataApi = options.dataApi ?? (await accepts("Open a database as a public read-only API? yes or no"));
  const list = domains.split(/[\s,]+/).filter((domain) => domain !== "");
  if (list.length === 0) throw new UserError("no base domain", "name one, e.g. --domain localhost");
  return {
    stack: options.stack ?? stackOf(context),
    context,
    domains: list,
    authentik: /^install$/i.test(authentik) ? undefined : authentik,
    dataApi,
  };
}

/** Returns the current context of the kubeconfig. Without one, or for a file that cannot be read, the question has no default. */
function currentContext(environment: Environment): string | undefined {
  try {
    return kubeConfigFiles(environment).find(({ config }) => config.currentContext)?.config.currentContext;
  } catch {
    return undefined;
  }
}

/** Writes all files or none. @throws UserError for answers that make no valid stack file, for a stack file that exists, and for the context of another */
function write(answers: Answers, { folder: current, out }: Shell): void {
  const folder = projectOf(current);
  const { stack, context } = answers;
  if (!/^[\w.-]+$/.test(stack))
    throw new UserError(`"${stack}" is not a valid stack name`, "use letters, digits, -, _ and . only: --stack NAME");
  const other = knownContexts(folder).find(({ names }) => names.includes(context));
  if (other) {
    throw new UserError(
      `context "${context}" is in Pulumi.${other.stack}.yaml, and a cluster has one stack`,
      `edit that file, or, for another cluster, give its context another name: kubectl config rename-context ${argument(context)} NAME`,
    );
  }
  const name = `Pulumi.${stack}.yaml`;
  if (existsSync(join(folder, name)))
    throw new UserError(`${name} exists already`, "edit it, or choose another name with --stack");
  const text = stackFile(answers);
  computePlan(parseStack(parseStackFile(text, stack, name), {}, { secretsRequired: false }));
  const files = new Map([...projectFiles(folder), [name, text]]);
  writeAll(folder, files);
  // The token of an existing authentik is not a generated value.
  const generate = (variable: string): string =>
    variable === "AUTHENTIK_TOKEN" && answers.authentik !== undefined ? "" : "openssl rand -hex 32 | ";
  const next = [
    ...installation(folder),
    `npx gatehouse plan ${stack}`,
    "read -rs PULUMI_CONFIG_PASSPHRASE; export PULUMI_CONFIG_PASSPHRASE",
    `pulumi stack init ${stack}`,
    ...variablesOf(text).map(
      (variable) => `${generate(variable)}pulumi config set --secret variables:${variable} --stack ${stack}`,
    ),
    `npx gatehouse doctor ${argument(context)}`,
    `npx gatehouse deploy ${argument(context)}`,
  ];
  const place = folder === current ? "" : ` in ${folder}`;
  out(
    `Wrote ${[...files.keys()].join(", ")}${place}.\n\nNext, line by line (read waits for a new passphrase, which it does not show; not with Pulumi Cloud):\n${next.map((line) => `  ${line}\n`).join("")}`,
  );
}

function writeAll(folder: string, files: ReadonlyMap<string, string>): void {
  const written: string[] = [];
  try {
    for (const [name, content] of files) {
      const file = join(folder, name);
      closeSync(openSync(`${file}.new`, "wx"));
      written.push(file);
      writeFileSync(`${file}.new`, content);
    }
    for (const file of written) renameSync(`${file}.new`, file);
  } catch (error) {
    for (const file of written) rmSync(`${file}.new`, { force: true });
    throw new UserError(`nothing was written to ${folder}: ${errorText(error)}`);
  }
}

/** Returns the commands that install the package. Not from the npm registry, where the name of the package belongs to another project. */
function installation(folder: string): string[] {
  if (existsSync(join(folder, "node_modules", "gatehouse"))) return [];
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    dependencies?: Readonly<Record<string, string>>;
  };
  return dependencies["gatehouse"]
    ? ["npm install"]
    : [`npm pack --silent ${argument(packageFolder())}`, "npm install gatehouse-*.tgz"];
}
