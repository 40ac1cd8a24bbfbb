import type { DataApi } from "../../config/settings.ts";

/** The default limits of a data API. */
export const LIMITS: DataApi["limits"] = {
  maxRows: 1e3,
  statementTimeout: 5e3,
  connections: 10,
  exactCountRows: 1e6,
  maxAge: 60,
  requestsPerSecond: 50,
  burst: 100,
  inFlight: 6,
};
