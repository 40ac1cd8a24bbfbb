import { expect, test } from "vitest";
import { protectedUrls, stateOf } from "../../../ops/deploy/hosts.ts";
import type { Exposure } from "../../../infra/plan/types.ts";

const LOGIN = "http://authentik.localhost/application/o/authorize/?client_id=x";

test.each([
  [302, LOGIN, "closed"],
  [401, "", "closed"],
  [403, "", "closed"],
  [404, "", "closed"],
  [500, "", "closed"],
  [502, "", "closed"],
  [200, "", "open"],
  [204, "", "open"],
  [302, "http://wiki.localhost/start", "open"],
  [302, "http://wiki.localhost/x?next=/application/o/authorize/", "open"],
  [400, "", "open"],
] as const)("%i %s is %s", (status, location, state) => {
  expect(stateOf(status, location)).toBe(state);
});

test("asked is what the gateway protects, before or after, each once", () => {
  const exposure = (url: string, authentication: Exposure["authentication"], publicPaths: string[] = []): Exposure =>
    ({ url, authentication, publicPaths }) as unknown as Exposure;
  const before = { exposures: [exposure("http://gone", "basic-auth"), exposure("http://stays", "forward-auth")] };
  const after = {
    exposures: [
      exposure("http://stays", "forward-auth", ["/health"]),
      exposure("http://open", "none"),
      exposure("http://all-public", "forward-auth", ["/"]),
    ],
  };
  expect(protectedUrls([before, after])).toEqual(["http://gone", "http://stays"]);
  expect(protectedUrls([undefined])).toEqual([]);
});
