/** A value that is not known yet, in a preview. */
export const UNKNOWN: unique symbol = Symbol("unknown");

/** A value that the engine must encrypt in its state and hide on the screen. */
export class Secret {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

export type Value = string | number | boolean | null | typeof UNKNOWN | Secret | Value[] | Values;

/** The properties of a resource. A key whose value is undefined counts as absent. */
export interface Values {
  [key: string]: Value | undefined;
}

export type ChangeKind = "add" | "delete" | "update" | "add-replace" | "delete-replace" | "update-replace";

/** The outcome of a diff. Paths are written as Pulumi does: `spec.rules[0].match`, `metadata.annotations["a.b/c"]`. */
export interface Change {
  readonly changes: boolean;
  readonly replaces: readonly string[];
  readonly detailed: Readonly<Record<string, ChangeKind>>;
  readonly deleteBeforeReplace?: boolean;
}

export interface Context {
  /** Nothing may be changed; the state may contain UNKNOWN. */
  readonly preview: boolean;
  readonly urn: string;
  /** Seconds, from `customTimeouts`; 0 when none is set. */
  readonly timeout: number;
  /** Aborted when the user cancels the run. */
  readonly signal: AbortSignal;
}

export interface Parameter {
  readonly value?: Uint8Array;
}

export interface CheckResult {
  readonly inputs: Values;
  readonly failures: readonly { property: string; reason: string }[];
}

/**
 * An emulated provider. Values have no Secret wrappers, and may contain UNKNOWN in a preview; whatever was secret in the
 * inputs is marked again on the way out, and so is what the plugin wraps in Secret. The message of a thrown error is shown to the user.
 */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  /** The configuration key that identifies the system. If it changes, all resources are replaced. */
  readonly identity?: string;
  /** Logs the error of each call; the response of a lookup has none then. Measured with the dynamic Terraform bridge 1.1.3 (docs/authentik.md). */
  readonly logsErrors?: true;
  /** Only for a parameterized package. */
  parameterize?(parameter: Parameter): { name: string; version: string };
  configure(config: Values): Promise<void>;
  check(type: string, olds: Values | undefined, news: Values, urn: string): Promise<CheckResult>;
  diff(type: string, id: string, oldInputs: Values, oldState: Values, news: Values): Promise<Change>;
  create(type: string, inputs: Values, context: Context): Promise<{ id: string; state: Values }>;
  /** A refresh, or an import when there is no state. Undefined when the object does not exist. */
  read(
    type: string,
    id: string,
    inputs: Values | undefined,
    state: Values | undefined,
  ): Promise<{ id: string; inputs: Values; state: Values } | undefined>;
  update(type: string, id: string, oldState: Values, news: Values, context: Context): Promise<Values>;
  delete(type: string, id: string, state: Values, context: Context): Promise<void>;
  invoke?(token: string, args: Values): Promise<Values>;
}

/** The object exists but did not become ready: the engine records it, and updates it in the next run. */
export class InitializationError extends Error {
  readonly id: string;
  readonly state: Values;
  readonly reasons: readonly string[];
  /** Only where a refresh finds it so. */
  readonly inputs: Values | undefined;

  constructor(id: string, state: Values, reasons: readonly string[], inputs?: Values) {
    super(reasons.join("; "));
    this.id = id;
    this.state = state;
    this.reasons = reasons;
    this.inputs = inputs;
  }
}
