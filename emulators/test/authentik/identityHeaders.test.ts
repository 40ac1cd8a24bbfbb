/** The names of headers that an outpost writes, as Go's net/http spells and merges them. */
import { expect, test } from "vitest";
import { claimsOf } from "../../authentik/outpost/claims.ts";
import { endpointsOf } from "../../authentik/outpost/configuration.ts";
import { identityHeaders } from "../../authentik/outpost/identityHeaders.ts";
import { application } from "./outposts.ts";

function written(additionalHeaders: Record<string, unknown>): [string, string][] {
  const host = "http://authentik.localhost";
  const environment = { outpostName: "standalone", embedded: false, authentikHost: host, browserHost: host };
  const claims = claimsOf({ ak_proxy: { user_attributes: { additionalHeaders } } }, "token");
  const configuration = application("a");
  const headers = identityHeaders(configuration, endpointsOf(configuration, environment), "standalone", claims);
  return Object.entries(headers).filter(([name]) => !name.startsWith("X-Authentik-"));
}

test("writes one header for all spellings of a name, with the value of the first", () => {
  expect(written({ "x-idp-USERNAME": "ceo", "X-idp-username": "alice", "X-Idp-Username": "bob" })).toEqual([
    ["X-Idp-Username", "ceo"],
  ]);
});

test("writes no header whose name contains an underscore or is not a token", () => {
  expect(written({ X_idp_username: "ceo", "X-idp-username ": "ceo", "X-ïdp": "ceo", "X-team": 7 })).toEqual([
    ["X-Team", ""],
  ]);
});
