import { LIMITS, type Limits, limitsFrom } from "../../../config/sections/dataApi/publishedLimits.ts";

/** The sentences about limits, each once. */
export const LIMIT_TEXTS = [...new Set(Object.values(LIMITS).map(({ text }) => text))];

/** The limits as values of texts. */
export function limitValues(limits: Limits): Limits {
  return limitsFrom((name) => {
    const limit = LIMITS[name];
    return "perUnit" in limit ? limits[name] / limit.perUnit : limits[name];
  });
}
