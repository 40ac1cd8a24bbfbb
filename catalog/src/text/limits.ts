import { LIMITS, type Limits, limitsFrom } from "../../../config/sections/dataApi/publishedLimits.ts";

/** Sentences about limits, without duplicates. */
export const LIMIT_TEXTS = [...new Set(Object.values(LIMITS).map(({ text }) => text))];

/** Returns the limits as values for the texts. */
export function limitValues(limits: Limits): Limits {
  return limitsFrom((name) => {
    const limit = LIMITS[name];
    return "perUnit" in limit ? limits[name] / limit.perUnit : limits[name];
  });
}
