/** Slugs of applications in the identity provider. */

/** Returns the slug of an application behind forward auth: one per exposure, because the identity provider ties an application to one host. */
export function proxySlug(applicationSlug: string, domain: string): string {
  return `${applicationSlug}-${domain}`;
}

/** Returns the name of a test environment: its host label, and the slug of its application before the domain is added. */
export function testName(name: string): string {
  return `whoami-${name}`;
}

/** What the slugs of a service are derived from. */
interface Slugged {
  /** Name of the service. */
  readonly service: string;
  readonly applicationSlug: string;
  /** Domain kinds on which the service is exposed. */
  readonly kinds: readonly string[];
  /** Whether the application itself is a client of the identity provider. */
  readonly isClient: boolean;
}

/** Returns the services that have the `application_slug` or a slug of an earlier one, with the name of that one as `owner`. */
export function withUsedSlugs<Service extends Slugged>(services: readonly Service[]): (Service & { owner: string })[] {
  const owners = new Map<string, string>();
  return services.flatMap((service) => {
    // `*` keeps the names of applications apart from their slugs.
    const claims = [`*${service.applicationSlug}`, ...derivedSlugs(service)];
    const owner = claims.map((claim) => owners.get(claim)).find((other) => other !== undefined);
    for (const claim of claims) if (!owners.has(claim)) owners.set(claim, service.service);
    return owner === undefined ? [] : [{ ...service, owner }];
  });
}

/** Returns every slug that the plan can derive from an `application_slug`. */
function derivedSlugs({ applicationSlug, kinds, isClient }: Slugged): string[] {
  return [
    ...(isClient ? [applicationSlug] : []),
    ...kinds.map((kind) => proxySlug(applicationSlug, kind)),
    ...kinds.filter((kind) => kind === "localhost").map((kind) => proxySlug(testName(applicationSlug), kind)),
  ];
}
