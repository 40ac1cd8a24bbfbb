/** A route and its baseline, measured in the same run. */
import autocannon from "autocannon";
import type { Target } from "./load.ts";
import { type Measurement, median } from "./measurement.ts";

export interface Comparison {
  readonly what: string;
  readonly route: Target;
  /** What the baseline is, e.g. "bare route". */
  readonly baselineIs: string;
  readonly baseline: Target;
}

/** Seconds of one turn. The order of turns is route, baseline, baseline, route, so that a machine that slows down does so for both. */
const TURN_SECONDS = 3;
const TURNS = ["route", "baseline", "baseline", "route"] as const;
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
 * Loads a route and its baseline in turn.
 * @param cpu reads the CPU time of the gateway in milliseconds
 */
export async function compare(
  { what, route, baselineIs, baseline }: Comparison,
  connections: number,
  cpu: () => number,
): Promise<Measurement> {
  const targets = { route, baseline };
  const sums = { route: empty(), baseline: empty() };
  for (const turn of TURNS) await add(sums[turn], targets[turn], connections, cpu);
  const perSecond = ({ requests }: Sum): number => (2 * requests) / COMPARISON_SECONDS;
  return {
    route: what,
    baseline: baselineIs,
    connections,
    "requests/s": perSecond(sums.route).toFixed(0),
    "baseline, requests/s": perSecond(sums.baseline).toFixed(0),
    "ratio (goal 0.95)": (sums.route.requests / sums.baseline.requests).toFixed(2),
    "gateway CPU, ms/request": perRequest(sums.route),
    "baseline, ms/request": perRequest(sums.baseline),
    "p50, ms": median(sums.route.p50),
    "p99, ms": Math.max(...sums.route.p99),
    "unexpected responses": sums.route.unexpected + sums.baseline.unexpected,
  };
}

async function add(sum: Sum, { url, headers = {}, status = 200 }: Target, connections: number, cpu: () => number) {
  const before = cpu();
  const { requests, latency, statusCodeStats, errors } = await autocannon({
    url,
    headers,
    connections,
    duration: TURN_SECONDS,
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
