import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import { optionsOf } from "../../../infra/prerequisites/staticOptions.ts";
import { type Import, withEntries } from "../../../ops/import/import.ts";
import type { IdentityRecords } from "../../../ops/clients/identityRecords.ts";
import type { Manifest } from "../../../manifests/resource.ts";
import { authentik, imported, middleware, NEW, proxies, route, rule, service, withClient } from "./cluster.ts";
import { handWritten, planned, type Request, responses } from "./gateway.ts";
import { samples } from "../../helpers/full.ts";

const HOSTS = ["a.example.org", "b.example.org", "a.other.example.net", "c.localhost"];
const PATHS = ["/", "/x", "/open", "/open/x", "/opened", "/open/inside", "/open/inside/y", "/api/v1", "/api"];

const often = <T>(weight: number, ...values: readonly T[]) => ({ weight, arbitrary: fc.constantFrom(...values) });

const conditions = fc.oneof(
  often(15, ""),
  {
    weight: 20,
    arbitrary: fc
      .tuple(
        fc.oneof(often(3, "PathPrefix"), often(1, "Path")),
        fc.oneof(often(4, "/open", "/open/inside"), often(1, "/", "/open/", "/api")),
      )
      .map(([name, path]) => ` && ${name}(\`${path}\`)`),
  },
  often(1, " && Header(`X-Beta`, `1`)"),
);
const hosts = fc.oneof(
  often(8, ...HOSTS.map((host) => `Host(\`${host}\`)`)),
  often(8, `Host(\`${HOSTS[0]}\`)`),
  often(1, `(Host(\`${HOSTS[0]}\`) || Host(\`${HOSTS[1]}\`))`, "HostRegexp(`^.+[.]example[.]org$`)"),
);
const chains = fc.oneof(
  often(12, ["sso"], []),
  often(3, ["users"]),
  often(2, ["https"], ["limit"], ["gone"], ["sso", "limit"], ["sso", "compress"], ["sso", "users"], ["chained"]),
);
const rules = fc.record({
  hosts,
  conditions,
  chain: chains,
  backend: fc.oneof(often(6, "one"), often(1, "two")),
  priority: fc.oneof(often(4, undefined), often(1, -1, 1, 50, 500)),
});
const specs = fc.oneof(
  often<object>(5, {}),
  often<object>(1, { entryPoints: ["websecure"], tls: {} }, { tls: { options: {} } }),
  often<object>(2, { entryPoints: [] }),
);
const objects = fc
  .array(fc.record({ rules: fc.array(rules, { minLength: 1, maxLength: 3 }), spec: specs }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((list) =>
    list.map(({ rules: own, spec }, index) =>
      route(
        `apps/route-${index}`,
        own.map(({ hosts: host, conditions: condition, chain, backend, priority }) =>
          rule(host + condition, backend, chain, priority === undefined ? {} : { priority }),
        ),
        spec,
      ),
    ),
  );
const applications = fc
  .tuple(
    fc.oneof(often(3, HOSTS), { weight: 1, arbitrary: fc.subarray(HOSTS) }),
    fc.array(
      fc.record({
        groups: fc.subarray(["staff", "admins"]),
        skip: fc.oneof(often(3, ""), often(1, "^/open", "^/open/", "^/api$")),
        policy: fc.nat(6),
      }),
      { minLength: HOSTS.length, maxLength: HOSTS.length },
    ),
    fc.subarray(HOSTS),
  )
  .map(([forwarded, access, clients]) => {
    const records = proxies(
      ...forwarded.map((host, index) => ({
        slug: `app-${index}`,
        host,
        groups: access[index]?.groups ?? [],
        provider: { skip_path_regex: access[index]?.skip ?? "" },
        bindings: access[index]?.policy === 0 ? [{ policy: "expression" }] : [],
      })),
    );
    return clients.reduce((all, host, index) => withClient(all, `client-${index}`, `http://${host}/callback`), records);
  });

const COMMON = [
  service("apps/one"),
  service("apps/two"),
  authentik("apps/sso"),
  middleware("apps/users", "basicAuth", { secret: "users" }),
  middleware("apps/https", "redirectScheme", { scheme: "https" }),
  middleware("apps/limit", "rateLimit", { average: 5 }),
  middleware("apps/compress", "compress", {}),
  middleware("apps/chained", "chain", { middlewares: [{ name: "sso" }, { name: "limit" }] }),
];
const USERS = new Map([["apps/users", ["ops"]]]);

function always(
  check: (found: Import, manifests: readonly Manifest[], identity: IdentityRecords, secured: boolean) => void,
): void {
  fc.assert(
    fc.property(objects, applications, fc.boolean(), (list, identity, secured) => {
      const manifests = [...COMMON, ...list];
      const options = optionsOf([`--entryPoints.websecure.http.tls=${String(secured)}`]);
      check(imported(manifests, { users: USERS, identity, options }), manifests, identity, secured);
    }),
    samples(300),
  );
}

const REQUESTS: readonly Request[] = HOSTS.flatMap((host) =>
  PATHS.flatMap((path) => (["http", "https"] as const).map((protocol) => ({ protocol, host, path }))),
);

describe("any import", () => {
  test("maps each route or reports it with a reason, not both", () => {
    always(({ mapped, unmapped }, manifests) => {
      const all = manifests.flatMap(({ kind, spec, label }) =>
        kind === "IngressRoute" ? (spec["routes"] as unknown[]).map((_, index) => `${label} ${index}`) : [],
      );
      const names = [...mapped, ...unmapped.keys()].map(({ manifest, index }) => `${manifest.label} ${index}`);
      expect(names.sort()).toEqual(all.sort());
      expect([...unmapped.values()].filter((reasons) => reasons.length === 0 || reasons.includes(""))).toEqual([]);
    });
  });

  test("writes entries whose plan has exactly the hosts of the mapped routes", () => {
    always(({ mapped, entries, kinds }) => {
      const config = withEntries(NEW.raw, entries, kinds);
      const plan = computePlan(parseStack({ ...NEW.raw, config }, {}, { secretsRequired: false }));
      const services = plan.exposures.filter(({ role }) => role === "service").map(({ host }) => host);
      const expected = new Set(mapped.flatMap(({ hosts: named }) => named));
      expect(services.sort()).toEqual([...expected].sort());
    });
  });

  test("grants no access that the routes did not grant, and changes no host without an entry", () => {
    let compared = 0;
    always(({ mapped, plan }, manifests, identity, secured) => {
      const own = new Set(plan.exposures.filter(({ role }) => role === "service").map(({ host }) => host));
      const before = handWritten(manifests, identity, secured);
      const isMapped = (object: Manifest, index: number): boolean =>
        mapped.some((one) => one.manifest === object && one.index === index);
      const left = manifests.map((object) => {
        if (object.kind !== "IngressRoute") return object;
        const kept = (object.spec["routes"] as unknown[]).filter((_, index) => !isMapped(object, index));
        return { ...object, spec: { ...object.spec, routes: kept } };
      });
      const after = [...handWritten(left, identity, secured), ...planned(plan)];
      for (const request of REQUESTS) {
        const [old, now] = [responses(before, request), responses(after, request)];
        if (!own.has(request.host)) expect([request, now]).toEqual([request, old]);
        else if (now.some((one) => one !== "nothing")) {
          compared += 1;
          // A part of an open path may require a session afterwards.
          const opened = old.map((one) => (one === "nothing" ? one : { ...one, admitted: "everyone" }));
          const backends = now.map((one) => (one === "nothing" ? one : { ...one, admitted: "everyone" }));
          const wasOpen =
            JSON.stringify(old) === JSON.stringify(opened) && JSON.stringify(old) === JSON.stringify(backends);
          const allowed = JSON.stringify(old) === JSON.stringify(now) || wasOpen;
          expect([request, old, now, allowed]).toEqual([request, old, now, true]);
        }
      }
    });
    expect(compared).toBeGreaterThan(100);
  });
});
