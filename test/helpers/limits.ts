import type { DataApi } from "../../config/settings.ts";

/** The default limits of a data API. */
export const LIMITS: DataApi["limits"] = {
  maxRows: 1000,
  statementTimeout: 5000,
  connections: 10,
  exactCountRows: 1_000_000,
  maxAge: 60,
  requestsPerSecond: 50,
  burst: 100,
  inFlight: 6,
};
