/** Returns labels of Kubernetes as `name=value`. */
export function labelTexts(labels: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(labels).map((label) => label.join("="));
}
