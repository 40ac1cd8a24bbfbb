import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { sections, shell, stack } from "../stacks.ts";

const DIGEST = `sha256:${"1".repeat(64)}`;

test.each([
  ["an image of a former version", "ghcr.io/goauthentik/server:2025.12.4", "Remove it, or correct its name and tag."],
  ["a tag with a typo", "traefik/whoami:1.11.0", 'Did you mean "traefik/whoami:v1.11.0"?'],
  ["a server that the stack does not install", "postgres:17-alpine", 'Did you mean "postgres:18-alpine"?'],
])("warns of the digest of %s", (_, image, hint) => {
  const digests = { "node:24-alpine": DIGEST, [image]: DIGEST };
  const { warnings } = parseStack(stack({ images: { digests } }), shell);
  expect(warnings).toEqual([`images.digests: the stack runs no image "${image}". ${hint}`]);
});

test("warns of unused digests without gatehouse:data_api and gatehouse:postgres", () => {
  const identity_provider = {
    install: false,
    url: "https://sso.example.org",
    token: sections.identity_provider["token"],
  };
  const digests = { "postgrest/postgrest:v14.17": DIGEST, "ghcr.io/goauthentik/proxy:2026.5.7": DIGEST };
  const raw = stack({ images: { digests }, identity_provider, data_api: undefined, postgres: undefined });
  expect(parseStack(raw, shell).warnings).toEqual([
    'images.digests: the stack runs no image "postgrest/postgrest:v14.17". Remove it, or correct its name and tag.',
  ]);
});
