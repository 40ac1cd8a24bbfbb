import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { homeFolder } from "../../../config/files/folders.ts";
import { PROJECT_FILE } from "../../../config/files/projectFile.ts";
import type { Environment } from "../../../config/variables/variables.ts";

const FOLDER = "file://";

/**
 * Returns the folder of the state backend as the Pulumi CLI finds it: in `PULUMI_BACKEND_URL`, in `backend.url` of Pulumi.yaml, or where the last
 * `pulumi login` recorded it. `~` is the home of the user database, and a relative path is relative to the working directory
 * (`massageBlobPath`, pkg/backend/diy/backend.go). Returns undefined for a backend that is not a folder.
 * @param workDir working directory of the CLI
 * @param changes environment of the CLI, where it differs from that of this process
 */
export function backendFolder(workDir: string, changes: Environment): string | undefined {
  const environment = { ...process.env, ...changes };
  const url = environment["PULUMI_BACKEND_URL"] || backendOfProject(workDir) || backendOfLogin(environment);
  if (!url?.startsWith(FOLDER)) return undefined;
  const [path = ""] = url.slice(FOLDER.length).split("?");
  const decoded = decodeURIComponent(path);
  return decoded.startsWith("~") ? join(homeFolder(), decoded.slice(2)) : resolve(workDir, decoded);
}

function backendOfProject(workDir: string): string | undefined {
  const file = join(workDir, PROJECT_FILE);
  const project = existsSync(file)
    ? (parse(readFileSync(file, "utf8")) as { backend?: { url?: string } } | null)
    : null;
  return project?.backend?.url;
}

function backendOfLogin(environment: Environment): string | undefined {
  const home = environment["PULUMI_HOME"] || join(homeFolder(), ".pulumi");
  const file = join(environment["PULUMI_CREDENTIALS_PATH"] || home, "credentials.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { current?: string }).current : undefined;
}
