/** A route beside its floor, in the same run. */
import autocannon from "autocannon";
import type { Target } from "./load.ts";
import type { Measurement } from "./main.ts";

export interface Comparison {
  readonly what: string;
  readonly route: Target;
  /** What the floor is, e.g. "bare route". */
  readonly floorIs: string;
  readonly floor: Target;
}

/** Seconds of one turn. The order of turns is route, floor, floor, route, so that a machine that slows down does so for both. */
const TURN_SECONDS = 3;
const TURNS = ["route", "floor", "floor", "route"] as const;
/** Seconds that one comparison takes. */
export const COMPARISON_SECONDS = TURN_SECONDS * TURNS.length;

interface Sum {
  requests: number;
  unexpected: number;
  cpu: number;
  readonly p50: number[];
  readonly p99: number[];
}

/**
 * Loads a route and its floor in turn.
 * @param cpu reads the CPU time of the gateway in milliseconds
 */
export async function compare(
  { what, route, floorIs, floor }: Comparison,
  connections: number,
  cpu: () => number,
): Promise<Measurement> {
  const targets = { route, floor };
  const sums = { route: empty(), floor: empty() };
  for (const turn of TURNS) await add(sums[turn], targets[turn], connections, cpu);
  const perSecond = ({ requests }: Sum): number => (2 * requests) / COMPARISON_SECONDS;
  return {
    route: what,
    floor: floorIs,
    connections,
    "requests/s": perSecond(sums.route).toFixed(0),
    "floor, requests/s": perSecond(sums.floor).toFixed(0),
    "ratio (goal 0.95)": (sums.route.requests / sums.floor.requests).toFixed(2),
    "gateway CPU, ms/request": perRequest(sums.route),
    "floor, ms/request": perRequest(sums.floor),
    "p50, ms": median(sums.route.p50),
    "p99, ms": Math.max(...sums.route.p99),
    "unexpected answers": sums.route.unexpected + sums.floor.unexpected,
  };
}

async function add(sum: Sum, { url, headers = {}, status = 200 }: Target, connections: number, cpu: () => number) {
  const before = cpu();
  const { requests, latency, statusCodeStats, errors } = await autocannon({
    ...{ url, headers, connections, duration: TURN_SECONDS },
  });
  sum.cpu += cpu() - before;
  sum.requests += requests.total;
  sum.unexpected += requests.total - (statusCodeStats?.[`${status}`]?.count ?? 0) + errors;
  sum.p50.push(latency.p50);
  sum.p99.push(latency.p99);
}

function empty(): Sum {
  return { requests: 0, unexpected: 0, cpu: 0, p50: [], p99: [] };
}

function perRequest({ cpu, requests }: Sum): string {
  return requests === 0 ? "" : (cpu / requests).toFixed(2);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
