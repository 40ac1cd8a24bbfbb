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

/** A part of a path as the text that it stands for; one that is wrongly encoded stands for itself. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
