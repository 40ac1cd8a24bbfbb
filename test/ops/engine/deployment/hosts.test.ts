import { expect, test } from "vitest";
import { protectedUrls, stateOf } from "../../../../ops/engine/deployment/hosts.ts";
import { accessOf } from "../../../../infra/access/access.ts";
import { accessIn, recordOf } from "../../../../infra/access/record.ts";
import { basic, oauth2, proxy } from "../../../config/stacks.ts";
import { planOf } from "../../../infra/plan/stacks.ts";

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

test("requests each host once that is protected before or after the deployment", () => {
  const before = planOf(
    { localhost: true },
    basic({ name: "gone" }),
    proxy({ name: "stays", application_slug: "stays" }),
  );
  const after = planOf(
    { localhost: true },
    proxy({ name: "stays", application_slug: "stays", public_paths: ["/health"] }),
    oauth2({ name: "open", application_slug: "open", enforce: "application" }),
  );
  const urls = protectedUrls(accessIn(recordOf(accessOf(before))), after);
  expect(urls.filter((url) => !url.includes("whoami-"))).toEqual(["http://gone.localhost", "http://stays.localhost"]);
  expect(protectedUrls(undefined, planOf({ localhost: true }))).toEqual([]);
});

test("does not request a host whose root is public", () => {
  const plan = planOf({ localhost: true }, proxy({}));
  const exposures = plan.exposures.map((exposure) => ({ ...exposure, publicPaths: ["/"] }));
  expect(protectedUrls(undefined, { ...plan, exposures })).toEqual([]);
});
