/** The configuration of the stack, its secrets and its state backend. */
import { parseStack } from "../../../config/load.ts";
import { ConfigError } from "../../../config/errors/problems.ts";
import { errorText } from "../../../config/errors/errorText.ts";
import { hasStack } from "../../engine/pulumiCli.ts";
import { hasKey } from "../../engine/stackKey.ts";
import { type Check, failed, passed, skip } from "../check.ts";
import type { Inputs } from "./inputs.ts";
import { counted } from "../../text.ts";
import { KEY_HINT } from "../../engine/configuration.ts";

const BACKEND_HINT = "run pulumi login, or set PULUMI_BACKEND_URL (docs/deploy.md, Backend)";

/** Checks that the secrets of the stack are set, and that its state backend can be used. */
export async function stack(inputs: Inputs): Promise<Check[]> {
  return [variables(inputs), await backend(inputs)];
}

/** Compares the configuration with secrets required, which opening a context does not. */
function variables({ target, secrets }: Inputs): Check {
  const name = "secrets";
  if (secrets.problem !== undefined) {
    return failed(name, `cannot be decrypted: ${secrets.problem}`, KEY_HINT);
  }
  try {
    parseStack(target.raw, target.environment);
    const count = Object.keys(secrets.known).length;
    return passed(name, `${counted(count, "variable is", "variables are")} set`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const lines = error.problems.map(({ path, message }) => `${path}: ${message}`);
    const hint = `run: pulumi config set --secret variables:NAME --stack ${target.stack}`;
    return failed(name, lines.join("\n"), hint);
  }
}

async function backend({ target, shell, cli }: Inputs): Promise<Check> {
  const name = "state backend";
  if ("unavailable" in cli) return skip(name, cli.unavailable, BACKEND_HINT);
  try {
    if (await hasStack(cli.value)) return passed(name, `contains stack ${target.stack}`);
    // A deployment refuses it.
    if (hasKey(shell.project, target.raw))
      return failed(name, `does not have stack ${target.stack}, whose file has a key`, BACKEND_HINT);
    return passed(name, `answers; the first deployment creates stack ${target.stack}`);
  } catch (error) {
    return failed(name, errorText(error), BACKEND_HINT);
  }
}
