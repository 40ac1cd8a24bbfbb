/** One statement about a deployment, and whether it held. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What was seen; for a failed check also what was expected. Never a secret. */
  readonly detail: string;
}

/**
 * Runs one probe. A probe that throws is a failed check, not the end of the others.
 * @param probe returns what was seen, and throws an {@link Unexpected} when it is not what must be
 */
export async function check(name: string, probe: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await probe() };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { name, ok: false, detail: reason };
  }
}

/** Something was seen that must not be. */
export class Unexpected extends Error {
  constructor(expected: string, seen: string) {
    super(`expected ${expected}, got ${seen}`);
    this.name = "Unexpected";
  }
}

/** @throws Unexpected when the two differ */
export function expectEqual(what: string, seen: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(seen), JSON.stringify(expected)];
  if (left !== right) {
    throw new Unexpected(`${what} ${right}`, left);
  }
}
