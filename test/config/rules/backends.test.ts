import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { proxy, shell, stack } from "../stacks.ts";

test("warns of port 443", () => {
  const warnings = (service: object) => parseStack(stack({ protected_services: [proxy({ service })] }), shell).warnings;
  expect(warnings({ port: 443 })).toEqual([
    'protected_services[0].service.port "wiki": Traefik sends HTTPS to port 443, and verifies the certificate for the address of the Service. Use a port for HTTP.',
  ]);
  expect(warnings({ port: 8443 })).toEqual([]);
});
