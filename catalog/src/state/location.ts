import type { BaseLocationHook } from "wouter-preact";
import { useBrowserLocation } from "wouter-preact/use-browser-location";

/**
 * Returns the path of the page for the router. The router decodes a path, except for characters such as `%3F`. An additional encoding cancels that, so that
 * {@link decoded} applies to each segment.
 */
export const useEncodedLocation: BaseLocationHook = () => {
  const [path, navigate] = useBrowserLocation();
  return [path.replaceAll("%", "%25"), navigate];
};

/** Returns the decoded segment of a path; an invalid encoding is returned unchanged. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
