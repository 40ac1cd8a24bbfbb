import type * as pulumi from "@pulumi/pulumi";
import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { proxy, sections, stack } from "../config/stacks.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";
import { Recorder } from "../helpers/recorder.ts";

// Nothing answers here; test/e2e waits for the real one.
vi.mock("../../infra/identity/readiness.ts", () => ({ waitUntilReady: () => Promise.resolve() }));

const ATTACHMENT = "authentik:index/outpostProviderAttachment:OutpostProviderAttachment";

/** Takes its time for each attachment, and counts how many are under way at once. */
class SlowOutpost extends Recorder {
  mostAtOnce = 0;
  #underWay = 0;

  override async newResource(args: pulumi.runtime.MockResourceArgs): Promise<pulumi.runtime.MockResourceResult> {
    const made = await super.newResource(args);
    return args.type === ATTACHMENT ? this.#slowly(made) : made;
  }

  async #slowly<T>(made: T): Promise<T> {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    await nextTurn();
    this.#underWay--;
    return made;
  }
}

interface Pods {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly Readonly<Record<string, unknown>>[] } };
  };
}

const services = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    proxy({ name: `service-${index}`, application_slug: `service-${index}`, domains: ["mesh"] }),
  );
const small = (count: number, size: number) =>
  stack({
    protected_services: services(count),
    identity_provider: { ...sections.identity_provider, providers_per_outpost: size },
    data_api: undefined,
  });

test(
  "attachments to the embedded outpost are made one after the other, so that none loses another's update",
  async () => {
    const recorder = new SlowOutpost();
    await deploy(small(6, 100), recorder);
    expect([recorder.of(ATTACHMENT).length, recorder.mostAtOnce]).toEqual([7, 1]);
    expect(recorder.of("authentik:index/outpost:Outpost")).toEqual([]);
  },
  PATIENCE,
);

describe("outposts of a stack with too many providers for one", () => {
  let recorder: Recorder;
  beforeAll(async () => {
    recorder = await deploy(small(6, 2));
  }, PATIENCE);

  test("serve each provider exactly once, each at most as many as it may, and each the one that lets nobody in", () => {
    const lists = recorder
      .of("authentik:index/outpost:Outpost")
      .map(({ inputs }) => inputs["protocolProviders"] as number[]);
    const attached = recorder.of(ATTACHMENT).map(({ inputs }) => inputs["protocolProvider"] as number);
    const names = recorder.of("authentik:index/providerProxy:ProviderProxy").map(({ inputs }) => inputs["name"]);
    const nobody = names.indexOf("gatehouse-nobody") + 1;
    const others = [attached, ...lists].map((list) => list.filter((id) => id !== nobody));
    expect(others.flat().sort()).toEqual(names.flatMap((_, index) => (index + 1 === nobody ? [] : [index + 1])));
    expect(others.filter(({ length }) => length > 2)).toEqual([]);
    expect([attached, ...lists].map((list) => list[0])).toEqual([attached, ...lists].map(() => nobody));
  });

  test("have a record that owns the whole list, and the token of the account that authentik made for it", () => {
    const records = recorder.of("authentik:index/outpost:Outpost");
    expect(records.length).toBeGreaterThan(1);
    for (const [index, { name, inputs }] of records.entries()) {
      const number = /^identity-outpost-(\d+)-outpost$/.exec(name)?.[1] ?? "";
      expect(inputs).toMatchObject({
        ...{ name: `gatehouse-outpost-${number}`, type: "proxy" },
        config: JSON.stringify({ authentik_host: "http://authentik.localhost" }),
      });
      expect(recorder.calls).toContain(`getUser {"username":"ak-outpost-${index + 1}"}`);
      expect(recorder.one("authentik:index/token:Token", `identity-outpost-${number}-token`).inputs).toEqual({
        identifier: `gatehouse-outpost-${number}-token`,
        ...{ user: 4711, intent: "api", expiring: false, retrieveKey: true },
      });
    }
  });

  test("run beside the server, restricted, with its address and their token", () => {
    const number = recorder.of("authentik:index/outpost:Outpost")[0]?.name.replace(/\D/g, "") ?? "";
    const app = `gatehouse-outpost-${number}`;
    const pods = recorder.objects<Pods>("apps/v1:Deployment").get(`authentik/${app}`)?.spec.template.spec;
    expect(pods).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
    expect(pods?.containers).toMatchObject([
      {
        image: "ghcr.io/goauthentik/proxy:2026.5.1",
        readinessProbe: { httpGet: { path: "/outpost.goauthentik.io/ping", port: 9000 } },
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
          readOnlyRootFilesystem: true,
        },
      },
    ]);
    const secret = recorder.one("kubernetes:core/v1:Secret", `identity-outpost-${number}-environment`).inputs;
    // Named anew when the token changes, which rolls the pods.
    expect([secret["metadata"], secret["immutable"]]).toEqual([{ namespace: "authentik" }, true]);
    expect(secret["stringData"]).toEqual({
      AUTHENTIK_HOST: "http://127.96.0.9:9000",
      AUTHENTIK_HOST_BROWSER: "http://authentik.localhost",
      AUTHENTIK_TOKEN: `key-of-identity-outpost-${number}-token`,
      AUTHENTIK_INSECURE: "false",
    });
    expect(recorder.objects("core/v1:Service").get(`authentik/${app}`)).toMatchObject({
      spec: { selector: { "app.kubernetes.io/name": app }, ports: [{ port: 9000, targetPort: 9000 }] },
    });
  });
});

test(
  "each service more is as many resources as the one before",
  async () => {
    const counts: number[] = [];
    for (const count of [2, 3, 4]) counts.push((await deploy(small(count, 100))).resources.length);
    const [two = 0, three = 0, four = 0] = counts;
    // The provider's component; provider, application, attachment, two routes.
    expect([three - two, four - three]).toEqual([6, 6]);
  },
  PATIENCE,
);
