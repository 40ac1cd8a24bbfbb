/** The container images with their tags, without digests: those that infra/ deploys, of which each can have a digest in `gatehouse:images`. */
export const IMAGES = {
  authentik: (version: string) => `ghcr.io/goauthentik/server:${version}`,
  outpost: (version: string) => `ghcr.io/goauthentik/proxy:${version}`,
  cloudNativePg: (version: string) => `ghcr.io/cloudnative-pg/postgresql:${version}-minimal-trixie`,
  postgres: (version: string) => `postgres:${version}-alpine`,
  psql: "postgres:18-alpine",
  postgrest: (version: string) => `postgrest/postgrest:${version}`,
  node: "node:24-alpine",
  whoami: "traefik/whoami:v1.11.0",
};
