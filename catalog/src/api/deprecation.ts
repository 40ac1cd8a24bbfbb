import { webAddress } from "../text/links.ts";

/** A schema that is deprecated (RFC 9745, RFC 8594). */
export interface Deprecation {
  readonly since: Date | null;
  readonly sunset: Date | null;
  /** Where it is explained. */
  readonly link: string | undefined;
}

/** Returns the deprecation that the headers of a response announce; null for a schema that is not deprecated. */
export function readDeprecation(headers: Headers): Deprecation | null {
  const deprecation = headers.get("Deprecation");
  const sunset = headers.get("Sunset");
  if (deprecation === null && sunset === null) return null;
  return {
    since: dateOf(deprecation?.startsWith("@") ? Number(deprecation.slice(1)) * 1000 : deprecation),
    sunset: dateOf(sunset),
    link: webAddress(/<([^>]*)>\s*;[^,]*rel="?deprecation"?/u.exec(headers.get("Link") ?? "")?.[1]),
  };
}

function dateOf(value: string | number | null | undefined): Date | null {
  const date = new Date(value ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date;
}
