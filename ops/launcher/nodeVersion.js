/** The versions that {@link isNewEnough} accepts, for a message. */
export const SUPPORTED = "Node.js 24.19 or newer of 24, or 26.10 or newer";

/**
 * Returns whether the project supports a version of Node.js. Older ones need 17-40 s to print an error of a Pulumi program (nodejs/node#64011).
 * @param {string} version e.g. "24.21.0"
 */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return (major === 24 && minor >= 19) || (major === 26 && minor >= 10) || major > 26;
}
