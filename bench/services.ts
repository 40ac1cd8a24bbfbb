/** Entries of `protected_services` as in a stack file, all for the echo service. */
export function proxyServices(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `service-${index}`,
    type: "proxy",
    description: `Service ${index}`,
    domains: "auto",
    application_slug: `service-${index}`,
    service: { name: "whoami", namespace: "default", port: 8080 },
  }));
}
