type Labels = Readonly<Record<string, string>>;

/** Returns whether labels have all that a selector requires; an empty one matches all. */
export function matchesLabels(selector: Labels, labels: Labels = {}): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}

/** Returns labels of Kubernetes as `name=value`. */
export function labelTexts(labels: Labels = {}): string[] {
  return Object.entries(labels).map((label) => label.join("="));
}
