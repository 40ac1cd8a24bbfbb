import { LIMITS, type Limits, limitsFrom, PUBLISHED } from "../../../config/sections/dataApi/limits.ts";

/** Sentences about limits, without duplicates. */
export const LIMIT_TEXTS = [...new Set(PUBLISHED.map((name) => LIMITS[name].published.text))];

/** Returns the limits as values for the texts. */
export function limitValues(limits: Limits): Limits {
  return limitsFrom((name) => {
    const limit = LIMITS[name].published;
    return "perUnit" in limit ? limits[name] / limit.perUnit : limits[name];
  });
}
