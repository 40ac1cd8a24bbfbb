import type { BaseLocationHook } from "wouter-preact";
import { useBrowserLocation } from "wouter-preact/use-browser-location";

/**
 * The path of the page for the router, which decodes it by itself, but leaves `%3F` and the like: encoded once more, it comes out as it is,
 * and {@link decoded} can be used on each of its parts.
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
