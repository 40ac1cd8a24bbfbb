import { setTimeout as pause } from "node:timers/promises";

/** Random delays from one seed, so that a failing order of events can be repeated. */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** A number from `least` up to, not including, `most` (mulberry32). */
  between(least: number, most: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return least + (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * (most - least);
  }

  /** The same entries in random order. */
  shuffled<T>(entries: readonly T[]): T[] {
    const keyed = entries.map((entry) => ({ entry, key: this.between(0, 1) }));
    return keyed.sort((a, b) => a.key - b.key).map(({ entry }) => entry);
  }

  /** Waits for a random time between two numbers of milliseconds. */
  async wait(least: number, most: number, signal?: AbortSignal): Promise<void> {
    await pause(this.between(least, most), undefined, { ref: false, ...(signal ? { signal } : {}) });
  }
}

/** The seed of GATEHOUSE_EMULATOR_SEED, else any. */
export function seedOf(text: string | undefined): number {
  return text ? Number(text) >>> 0 : Math.floor(Math.random() * 2 ** 32);
}
