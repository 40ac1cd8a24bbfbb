/** Slugs of applications in the identity provider. */

/** Returns the slug of an application behind forward auth: one per exposure, because the identity provider ties an application to one host. */
export function proxySlug(applicationSlug: string, domain: string): string {
  return `${applicationSlug}-${domain}`;
}

/** Returns the name of a test environment: its host label, and the slug of its application before the domain is added. */
export function testName(name: string): string {
  return `whoami-${name}`;
}

/**
 * Returns every slug that the plan can derive from an `application_slug`.
 * @param isClient whether the application itself is a client of the identity provider
 */
export function derivedSlugs(applicationSlug: string, kinds: readonly string[], isClient: boolean): string[] {
  return [
    ...(isClient ? [applicationSlug] : []),
    ...kinds.map((kind) => proxySlug(applicationSlug, kind)),
    ...kinds.filter((kind) => kind === "localhost").map((kind) => proxySlug(testName(applicationSlug), kind)),
  ];
}
