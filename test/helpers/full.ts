/** Whether tests take every sample of their expensive properties: `FULL=1 npm test`, see CONTRIBUTING.md. */
export const FULL = process.env["FULL"] === "1";

/**
 * Returns the number of runs of a property that is expensive: all of them with `FULL=1`, otherwise a quarter. Each run of the
 * tests draws new samples, so a defect that one run misses is found by a later one.
 * @param all number with `FULL=1`
 */
export function samples(all: number): { readonly numRuns: number } {
  return { numRuns: FULL ? all : Math.ceil(all / 4) };
}
