import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { proxy, sections, shell, stack } from "../stacks.ts";

test("warns of port 443, and of an application in the namespace of an installed authentik", () => {
  const warnings = (service: object, identity_provider: object = sections.identity_provider) =>
    parseStack(stack({ protected_services: [proxy({ service })], identity_provider }), shell).warnings;
  expect(warnings({ port: 443 })).toEqual([
    'protected_services[0].service.port "wiki": Traefik sends HTTPS to port 443, and verifies the certificate for the address of the Service. Use a port for HTTP.',
  ]);
  expect(warnings({ namespace: "authentik" })).toEqual([
    'protected_services[0].service.namespace "wiki": the network policy of authentik in namespace "authentik" admits requests to authentik\'s port only. Move the application to another namespace.',
  ]);
  const existing = { install: false, url: "https://sso.example.org", token: "${TOKEN}" };
  expect(warnings({ namespace: "authentik", port: 8443 }, existing)).toEqual([]);
});
