/** A stack with every domain kind and every type, for the embedded platform. */
import { identityProvider, VERIFICATION } from "../helpers/sections.ts";

/** Ports that the URLs carry. */
interface Ports {
  readonly https: number;
  /** Port of the proxy that terminates TLS before the gateway. */
  readonly upstream: number;
}

/** `local/` fills in HTTP_PORT. */
const HTTP_PORT = "${HTTP_PORT}";
const echo = { name: "whoami", namespace: "default", port: 8080 };
const staff = { domains: "auto", groups: ["staff"] };

/** Returns config that replaces that of the local stack, by full key. */
export function configChanges({ https, upstream }: Ports): Record<string, unknown> {
  return {
    "gatehouse:domains": {
      localhost: { enabled: true, port: HTTP_PORT },
      mesh: { enabled: true, base_domain: "mesh.test", port: https },
      external: { enabled: true, base_domain: "external.test", tls: "upstream", port: upstream },
      partner: {
        enabled: true,
        base_domain: "partner.test",
        protocol: "http",
        description: "Partners",
        port: HTTP_PORT,
      },
      retired: { enabled: false, base_domain: "retired.test", protocol: "http", description: "Gone" },
    },
    "gatehouse:protected_services": services(),
    "gatehouse:verification": VERIFICATION,
    "gatehouse:identity_provider": identityProvider({
      groups: ["staff", "guests"],
      service_accounts: [{ name: "robot", groups: ["staff"] }, { name: "ungrouped" }],
      // Low enough that the plan has dedicated outposts too.
      providers_per_outpost: 10,
    }),
  };
}

function services(): object[] {
  return [
    {
      name: "forward",
      type: "proxy",
      description: "Behind forward auth",
      ...staff,
      application_slug: "forward",
      service: echo,
      public_paths: ["/open"],
    },
    {
      name: "gated",
      type: "oauth2",
      description: "Authenticated by the gateway",
      ...staff,
      application_slug: "gated",
      service: echo,
      public_paths: ["/open"],
      enforce: "gateway",
      oauth_config: {
        client_id: "gated",
        client_secret: "${GATED_CLIENT_SECRET}",
        redirect_uri: "/callback",
      },
    },
    {
      name: "everyone",
      type: "proxy",
      description: "For all users",
      domains: ["localhost"],
      application_slug: "everyone",
      service: echo,
    },
    {
      name: "guestbook",
      type: "proxy",
      description: "For guests",
      domains: ["localhost"],
      groups: ["guests"],
      application_slug: "guestbook",
      service: echo,
    },
    {
      name: "brief",
      type: "proxy",
      description: "With a short session",
      domains: ["localhost"],
      application_slug: "brief",
      service: echo,
      groups: ["staff"],
      session: "minutes=30",
    },
    {
      name: "notes",
      type: "oauth2",
      description: "Signs users in itself",
      ...staff,
      application_slug: "notes",
      service: {
        name: "notes",
        namespace: "default",
        port: 8080,
      },
      oauth_config: {
        client_id: "notes",
        client_secret: "${NOTES_CLIENT_SECRET}",
        redirect_uri: "/callback",
        scopes: ["offline_access"],
      },
    },
    {
      name: "legacy",
      type: "basic",
      description: "One password",
      domains: "auto",
      basic_auth: {
        username: "ops",
        password: "${LEGACY_PASSWORD}",
      },
      service: echo,
      public_paths: ["/open"],
    },
  ];
}
