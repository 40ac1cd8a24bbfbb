import type { z } from "zod";

/** One section of the namespace `gatehouse` in a stack file: its schema, and what docs/configuration.md contains next to the fields. */
export interface Section {
  readonly schema: z.ZodType;
  readonly description: string;
  /** Whether a stack file must contain it, for editors. */
  readonly required?: true;
  /** Entries of a stack file below `config`, as YAML. */
  readonly example: string;
  /** Markdown that follows the table of fields: rules that concern more than one field. */
  readonly text: string;
}
