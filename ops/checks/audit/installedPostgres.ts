import type { PostgresInstallation, Settings } from "../../../config/settings.ts";
import { clientsOf } from "../../../infra/postgres/networkPolicy.ts";

/** The Postgres server that a stack installs. */
export interface InstalledPostgres {
  readonly install: PostgresInstallation;
  /** Namespaces of the stack whose pods connect. */
  readonly clients: readonly string[];
}

/** Returns the server that a stack installs; undefined for an existing one. */
export function installedPostgres(settings: Settings): InstalledPostgres | undefined {
  const install = settings.postgres?.install;
  return install && { install, clients: clientsOf(settings) };
}
