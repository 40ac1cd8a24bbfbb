/**
 * Returns the hint for an application in authentik that has bindings which Gatehouse did not create: the engine does not know them, so no deployment deletes
 * them. Its own binding comes first, because an application without one admits every user.
 * @param deploy the command with `--refresh`
 */
export function restoreBindings(slug: string, deploy: string): string {
  return `run ${deploy}, which restores the binding of Gatehouse; then, in authentik, delete every other binding of application "${slug}"`;
}
