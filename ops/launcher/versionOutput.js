// What a program prints about its version. Plain JavaScript without packages, because a first start reads it before they are installed.

/**
 * Returns whether an output contains exactly this version: neither a longer number nor a variant of it.
 * @param {string} output
 * @param {string} version
 */
export function containsVersion(output, version) {
  return new RegExp(`(?<![\\d.])${version.replaceAll(/[.+]/g, "\\$&")}(?!\\S)`).test(output);
}
