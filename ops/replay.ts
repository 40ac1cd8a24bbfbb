/** From the engine's journal to a state: what the Pulumi service does with it (pkg/backend/journal.go of CLI 3.250, journal version 1). */

/** A resource as a state holds it; secrets are encrypted. */
export interface Resource {
  readonly urn: string;
  readonly type: string;
  /** False for a component. */
  readonly custom?: boolean;
  readonly id?: string;
  readonly parent?: string;
  /** URN and id of the provider. */
  readonly provider?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly dependencies?: readonly string[];
  readonly propertyDependencies?: Readonly<Record<string, readonly string[]>>;
  readonly deletedWith?: string;
  /** It was replaced, and is to be deleted. */
  readonly delete?: boolean;
  /** It was deleted, and is to be created again. */
  readonly pendingReplacement?: boolean;
}

export interface Operation {
  readonly resource: Resource;
  readonly type: string;
}

export interface Deployment {
  readonly secrets_providers?: unknown;
  readonly resources?: readonly Resource[];
  readonly pending_operations?: readonly Operation[];
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly snippets?: readonly unknown[];
}

/** `…Old` is a place in the state that the run began with, `…New` the operation of this run that made the resource. */
export interface JournalEntry {
  readonly kind: number;
  readonly sequenceID: number;
  readonly operationID: number;
  readonly removeOld?: number | null;
  readonly removeNew?: number | null;
  readonly deleteOld?: number;
  readonly deleteNew?: number;
  readonly pendingReplacementOld?: number;
  readonly pendingReplacementNew?: number;
  readonly state?: Resource;
  readonly operation?: Operation;
  readonly isRefresh?: boolean;
  readonly newSnapshot?: Deployment;
  readonly secretsProvider?: unknown;
  readonly snippets?: readonly unknown[];
  readonly extensionRef?: string;
  readonly extension?: unknown;
}

const BEGIN = 0;
const SUCCESS = 1;
const FAILURE = 2;
const REFRESHED = 3;
const OUTPUTS = 4;
const WRITE = 5;
const SECRETS = 6;
const REBUILT = 7;
const EXTENSION = 8;
const SNIPPETS = 9;

interface Run {
  readonly base: Deployment;
  /** Resources of the state that the run began with: what they became, by place; undefined = gone. */
  readonly old: Map<number, Resource | undefined>;
  /** Resources that the run made, by operation. */
  readonly made: Map<number, Resource | undefined>;
  readonly begun: Map<number, Operation>;
  refreshed: boolean;
}

/**
 * The state that a run came to.
 * @param base the state that it began with
 * @param entries what it noted, in any order; of a killed run the first part
 * @throws Error on an entry of a kind that journal version 1 does not know
 */
export function replay(base: Deployment, entries: readonly JournalEntry[]): Deployment {
  const inOrder = entries.toSorted((a, b) => a.sequenceID - b.sequenceID);
  return stateOf(inOrder.reduce(add, startOf(base)));
}

function startOf(base: Deployment): Run {
  return { base, old: new Map(), made: new Map(), begun: new Map(), refreshed: false };
}

function add(run: Run, entry: JournalEntry): Run {
  if (entry.kind === BEGIN) {
    if (entry.operation) run.begun.set(entry.operationID, entry.operation);
    return run;
  }
  run.begun.delete(entry.operationID);
  switch (entry.kind) {
    case SUCCESS:
      if (entry.state) run.made.set(entry.operationID, entry.state);
      remove(run, entry);
      mark(run, entry);
      run.refreshed ||= entry.isRefresh ?? false;
      return run;
    case REFRESHED:
      run.refreshed = true;
      if (entry.state) change(run, entry, entry.state);
      else remove(run, entry);
      return run;
    case OUTPUTS:
      if (entry.state) change(run, entry, entry.state);
      return run;
    case FAILURE:
      return run;
    case WRITE:
      return { ...run, base: entry.newSnapshot ?? run.base };
    case SECRETS:
      return { ...run, base: { ...run.base, secrets_providers: entry.secretsProvider } };
    case REBUILT:
      return startOf(stateOf(run));
    case EXTENSION: {
      const extensions = { ...run.base.extensions, [entry.extensionRef ?? ""]: entry.extension };
      return { ...run, base: { ...run.base, extensions } };
    }
    case SNIPPETS:
      return { ...run, base: { ...run.base, snippets: entry.snippets ?? [] } };
    default:
      throw new Error(`the journal has an entry of kind ${entry.kind}, which version 1 does not know`);
  }
}

function remove({ old, made }: Run, { removeOld, removeNew }: JournalEntry): void {
  if (isPlace(removeOld)) old.set(removeOld, undefined);
  if (isPlace(removeNew)) made.set(removeNew, undefined);
}

/** The other resource keeps its place in the order. What is gone stays gone. */
function change(run: Run, { removeOld, removeNew }: JournalEntry, state: Resource): void {
  if (isPlace(removeOld) && !isGone(run.old, removeOld)) run.old.set(removeOld, state);
  if (isPlace(removeNew) && !isGone(run.made, removeNew)) run.made.set(removeNew, state);
}

function mark(run: Run, entry: JournalEntry): void {
  const set = (place: number | undefined, from: ReadonlyMap<number, Resource | undefined>, flag: Partial<Resource>) => {
    const old = from === run.old;
    if (place === undefined || isGone(from, place)) return;
    const resource = from.get(place) ?? (old ? run.base.resources?.[place] : undefined);
    if (resource) (old ? run.old : run.made).set(place, { ...resource, ...flag });
  };
  set(entry.deleteOld, run.old, { delete: true });
  set(entry.deleteNew, run.made, { delete: true });
  set(entry.pendingReplacementOld, run.old, { pendingReplacement: true });
  set(entry.pendingReplacementNew, run.made, { pendingReplacement: true });
}

/** What the run made comes first, in its order; then what it has not come to yet. Each list has dependencies before dependents. */
function stateOf({ base, old, made, begun, refreshed }: Run): Deployment {
  const left = (base.resources ?? []).map((resource, place) => (old.has(place) ? old.get(place) : resource));
  const resources = [...made.values(), ...left].filter((resource) => resource !== undefined);
  // Nobody but a person or ops/recover.ts may say that what was being created does not exist.
  const unsettled = (base.pending_operations ?? []).filter(({ type }) => type === "creating");
  return {
    ...base,
    resources: refreshed ? withoutDangling(resources) : resources,
    pending_operations: [...begun.values(), ...unsettled],
  };
}

/**
 * Resources of a state, and what was found to exist besides. Of the same name, the one that was there is to be deleted, since the new one was
 * its replacement; or it has been, and goes.
 */
export function withAdopted(resources: readonly Resource[], adopted: readonly Resource[]): Resource[] {
  const urns = new Set(adopted.map(({ urn }) => urn));
  const others = resources
    .filter(({ urn, pendingReplacement }) => !(urns.has(urn) && pendingReplacement))
    .map((resource) => (urns.has(resource.urn) ? { ...resource, delete: true } : resource));
  return [...others, ...adopted];
}

/** A refresh may have dropped what others name. */
function withoutDangling(resources: readonly Resource[]): Resource[] {
  const there = new Set(resources.map(({ urn }) => urn));
  const known = (urns: readonly string[]): string[] => urns.filter((urn) => there.has(urn));
  return resources.map(({ parent, deletedWith, dependencies, propertyDependencies, ...rest }) => ({
    ...rest,
    ...(parent !== undefined && there.has(parent) && { parent }),
    ...(deletedWith !== undefined && there.has(deletedWith) && { deletedWith }),
    ...(dependencies && { dependencies: known(dependencies) }),
    ...(propertyDependencies && {
      propertyDependencies: Object.fromEntries(
        Object.entries(propertyDependencies).map(([name, urns]) => [name, known(urns)]),
      ),
    }),
  }));
}

function isPlace(place: number | null | undefined): place is number {
  return place !== undefined && place !== null;
}

function isGone(resources: ReadonlyMap<number, Resource | undefined>, place: number): boolean {
  return resources.has(place) && resources.get(place) === undefined;
}
