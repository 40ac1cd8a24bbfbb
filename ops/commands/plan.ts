/** `npx gatehouse plan`: what a stack would expose, from its file alone. Needs no engine, no cluster and no secret. */
import { join, resolve } from "node:path";
import Table from "cli-table3";
import { backendText } from "../../config/sections/protectedServices/backend.ts";
import { parseStack, readStackFile } from "../../config/load.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import type { DataPlan, Exposure, Grant, ObjectKind, Plan } from "../../infra/plan/types.ts";
import { runCommand } from "./command.ts";
import type { Shell } from "./shell.ts";
import { stackOf } from "../context/stackFiles.ts";
import { jsonText } from "../text.ts";
import { allowedUsersOf, allowedUsersText } from "../../protections/allowedUsers.ts";
import { protectionOf } from "../../protections/table.ts";

/** Runs the command. @returns the exit code: 0, 2 for a wrong command line or configuration */
export function main(args: readonly string[], shell: Shell): Promise<number> {
  return runCommand("plan", args, shell, (command) =>
    command
      .usage("[options] STACK")
      .argument("[stack]", "the part between Pulumi. and .yaml; with --file, by default that of its name")
      .option("--json", "print the plan as JSON")
      .option("--file <config>", "plan this stack file instead of Pulumi.<stack>.yaml")
      .action((name: string | undefined, { json, file }: { json?: true; file?: string }) => {
        const stack = name ?? (file === undefined ? undefined : stackOf(file));
        if (stack === undefined) return command.error("error: name a stack, e.g. npx gatehouse plan dev");
        const path = file === undefined ? join(shell.project, `Pulumi.${stack}.yaml`) : resolve(shell.folder, file);
        const plan = computePlan(parseStack(readStackFile(path, stack), shell.environment, { secretsRequired: false }));
        shell.out(json ? jsonText(plan) : `${report(plan)}\n`);
      }),
  );
}

function report(plan: Plan): string {
  const parts = [
    `Stack ${plan.stack}`,
    hosts(plan.exposures),
    records(plan),
    ...(plan.data ? [grants(plan.data)] : []),
  ];
  if (plan.warnings.length > 0) parts.push(["Warnings", ...plan.warnings.map((warning) => `  ${warning}`)].join("\n"));
  return parts.join("\n\n");
}

function hosts(exposures: readonly Exposure[]): string {
  const rows = exposures.map((exposure) => [
    exposure.url,
    protection(exposure),
    allowedUsersText(allowedUsersOf(exposure), (groups) => groups.join(", ")),
    exposure.publicPaths.join("\n"),
    backendText(exposure.backend),
  ]);
  return `Hosts\n${table(["URL", "Protection", "Allowed groups", "Public paths", "Backend"], rows)}`;
}

function protection({ role, protection, authentication }: Exposure): string {
  if (role !== "service" && protection === "open") return `open (${OPEN_ROLES[role]})`;
  const enforcer = protectionOf(protection).enforcedBy?.(authentication);
  const by = enforcer === undefined ? "" : ` (by the ${enforcer})`;
  return role === "test" ? `${protection}${by}, test environment` : protection + by;
}

const OPEN_ROLES = {
  test: "test host",
  "identity-provider": "identity provider",
  "data-api": "data API, read only",
  catalog: "catalog, read only",
};

function records({ records }: Plan): string {
  const rows = records.map(({ domain, hosts, targets }) => [domain, hosts.join("\n"), targets.join("\n")]);
  return `Records\n${table(["Domain", "Hosts", "Targets"], rows)}`;
}

const KINDS: readonly ObjectKind[] = ["schema", "table", "sequence", "function"];

/** Returns the matrix of grants: one line per role and schema, one column per kind of object; `-` where everything is taken away. */
function grants({ database, existing, grants, defaultPrivileges }: DataPlan): string {
  const lines = Map.groupBy(
    grants.filter(({ schema }) => schema !== undefined),
    ({ role, schema }) => `${role} ${schema ?? ""}`,
  );
  const rows = [...lines.values()].map((cells) => [
    cells[0]?.schema ?? "",
    cells[0]?.role ?? "",
    ...KINDS.map((kind) => privileges(cells.find((cell) => cell.kind === kind))),
  ]);
  const onDatabase = grants
    .filter(({ kind }) => kind === "database")
    .map((grant) => `${grant.role} ${privileges(grant)}`);
  const later = defaultPrivileges.map(
    (entry) =>
      `  ${entry.owner} gives ${entry.role} on every ${entry.kind} of ${entry.schema ?? "any schema"}: ${privileges(entry)}`,
  );
  return [
    `Grants on database ${database}${existing ? " (existing: neither created nor dropped)" : ""}: ${onDatabase.join(", ")}`,
    table(["Schema", "Role", ...KINDS], rows),
    "Default privileges",
    ...later,
  ].join("\n");
}

function privileges(grant: Pick<Grant, "privileges"> | undefined): string {
  if (grant === undefined) return "";
  return grant.privileges.length === 0 ? "-" : grant.privileges.join(" ");
}

function table(head: string[], rows: readonly string[][]): string {
  const drawn = new Table({ head, style: { head: [], border: [], compact: true } });
  drawn.push(...rows);
  return drawn.toString();
}
