/** What an import reads, and its routes in one form. */
import type { Backend } from "../../config/sections/protectedServices/backend.ts";
import type { Tls } from "../../config/sections/domains/domains.ts";
import type { Manifest } from "../../manifests/resource.ts";
import type { Options } from "../../infra/prerequisites/staticOptions.ts";
import type { IdentityRecords } from "../clients/identityRecords.ts";
import type { PathMatch } from "./matches.ts";
import type { Server } from "./server.ts";

export interface Source {
  readonly manifests: readonly Manifest[];
  /** Names of the users of each Secret of basic auth, by `<namespace>/<name>`; a text is the reason why they are not known. */
  readonly users: ReadonlyMap<string, readonly string[] | string>;
  /** Records of authentik; a text is the reason why they are not known. */
  readonly identity: IdentityRecords | string;
  /** Where the authentik of these records is; none if it was not read. */
  readonly servers: readonly Server[];
  readonly entryPoints: { readonly http: string; readonly https: string };
  /** Static options of Traefik; none if they are not known. */
  readonly options: Options;
}

export type Protocol = "http" | "https";

/** One rule of one object. */
export interface SourceRoute {
  readonly manifest: Manifest;
  readonly index: number;
  /** As messages show it. */
  readonly match: string;
  /** The hosts that it names; empty if it may serve others, too. */
  readonly hosts: readonly string[];
  /** Empty = every path. */
  readonly paths: readonly PathMatch[];
  readonly protocols: ReadonlySet<Protocol>;
  /** Whether it is on all entry points, because it names none. */
  readonly everywhere: boolean;
  readonly tls: Tls | undefined;
  readonly priority: number;
  /** Middlewares in order, as `<namespace>/<name>`. */
  readonly middlewares: readonly string[];
  /** Undefined if it has a problem. */
  readonly backend: Backend | undefined;
  /** Why it cannot be written as an entry; none if it can. */
  readonly problems: readonly string[];
  /** Returns whether the rule can match a request for the host; true if that is uncertain. */
  serves(host: string): boolean;
}

/** Returns a rule as messages name it: the object, and the rule's matcher. */
export function nameOf({ manifest, match }: Pick<SourceRoute, "manifest" | "match">): string {
  return `${manifest.label}: ${match}`;
}
