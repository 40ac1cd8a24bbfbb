import { PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpResponse, withClient } from "../../ops/clients/http.ts";
import { common, listed, type OwnPlatform, type OwnStack, startOwnPlatform } from "../helpers/ownPlatform.ts";
import { identityProvider } from "../helpers/sections.ts";

/** Every character that means something in a URI, a shell or a connection string, except the backslash, which roles of the plugin cannot have. */
const ODD = "p%41:/?#[]@!$&'()*+,;= \"ø";
const SECRETS = {
  POSTGRES_PASSWORD: `super ${ODD}\\`,
  DATA_AUTHENTICATOR_PASSWORD: `authenticator ${ODD}`,
  DATA_OWNER_PASSWORD: `owner ${ODD}`,
};
const CHANGED = `changed ${ODD}\\`;
const OWNER = { user: "gatehouse_owner", password: SECRETS.DATA_OWNER_PASSWORD };

describe("a stack that installs its Postgres as a StatefulSet", () => {
  let own: OwnPlatform;
  let stack: OwnStack;
  let created: number | undefined;

  const config = (install: Record<string, unknown> = {}) => ({
    ...common(own.platform),
    ...listed([]),
    "gatehouse:identity_provider": identityProvider(),
    "gatehouse:postgres": {
      password: "${POSTGRES_PASSWORD}",
      install: { kind: "statefulset", service: "ClusterIP", size: "1Gi", protect: false, ...install },
    },
    "gatehouse:data_api": {
      domains: "auto",
      authenticator_password: "${DATA_AUTHENTICATOR_PASSWORD}",
      owner_password: "${DATA_OWNER_PASSWORD}",
      replicas: 1,
    },
  });
  const ask = (path: string): Promise<HttpResponse> =>
    withClient((client) => client.send(`${own.origin("data.localhost")}${path}`));
  const answers = (path: string) =>
    expect.poll(() => ask(path).then(({ status, body }) => [status, body]), { timeout: 240_000, interval: 200 });
  const sql = async (text: string, login = OWNER): Promise<void> => {
    const { spec } = await own.core.readNamespacedService({ name: "postgres", namespace: "postgres" });
    const client = new Client({
      host: spec?.clusterIP ?? "",
      ...login,
      database: "gatehouse",
    });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    Object.assign(process.env, SECRETS);
    own = await startOwnPlatform();
    stack = await own.open("statefulset");
  });
  afterAll(async () => own.stop());

  test("deploys at once, with everything in the server", async () => {
    const { changes } = await stack.up(config({ protect: true }));
    created = changes["create"];
    expect(changes).toEqual({ create: created });
    await sql("create table api_v1.thing as select 1 as id; comment on table api_v1.thing is 'A thing'");
    await answers("/thing").toEqual([200, '[{"id":1}]']);
  });

  test("is updated in place with a password that was changed in the server", async () => {
    await sql(`alter role postgres password '${CHANGED.replaceAll("'", "''")}'`, {
      user: "postgres",
      password: SECRETS.POSTGRES_PASSWORD,
    });
    process.env["POSTGRES_PASSWORD"] = CHANGED;
    const { steps } = await stack.preview(config({ protect: true }));
    expect(steps.map(({ operation, type, name }) => `${operation} ${type} ${name}`).sort()).toEqual([
      "replace Secret data-migrations-connection",
      "replace Secret postgres-superuser",
      "update Provider postgres",
    ]);
    await stack.up(config({ protect: true }));
    await answers("/thing").toEqual([200, '[{"id":1}]']);
  });

  test("keeps its data when its pod is killed", async () => {
    const target = { name: "postgres-0", namespace: "postgres" };
    const before = await own.core.readNamespacedPod(target);
    // Not 0: then the next server starts on the same volume while this one ends, as on a node of Kubernetes, and both write.
    await own.core.deleteNamespacedPod({ ...target, gracePeriodSeconds: 1 });
    const uid = async () => (await own.core.readNamespacedPod(target).catch(() => before)).metadata?.uid;
    await expect.poll(uid, { timeout: 240_000 }).not.toBe(before.metadata?.uid);
    await answers("/thing").toEqual([200, '[{"id":1}]']);
    await answers("/thing?id=gt.1").toEqual([200, "[]"]);
  });

  test("starts again after a revert of an image that does not exist", async () => {
    const target = { name: "postgres", namespace: "postgres" };
    const { spec } = await own.apps.readNamespacedStatefulSet(target);
    const image = spec?.template.spec?.containers[0]?.image;
    const setImage = async (value: string | undefined): Promise<void> => {
      await own.apps.patchNamespacedStatefulSet(
        { ...target, body: { spec: { template: { spec: { containers: [{ name: "postgres", image: value }] } } } } },
        setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
      );
    };
    const waiting = async () => {
      const { status } = await own.core.readNamespacedPod({ name: "postgres-0", namespace: "postgres" });
      return status?.containerStatuses?.[0]?.state?.waiting?.reason;
    };
    await setImage("postgres.invalid/missing:18");
    await expect
      .poll(() => waiting().catch(String), { timeout: 240_000, interval: 200 })
      .toBe("CreateContainerConfigError");
    await setImage(image);
    await answers("/thing").toEqual([200, '[{"id":1}]']);
  });

  test("keeps its data through a destroy while it is protected", async () => {
    await expect(stack.stack.destroy({ previewOnly: true })).rejects.toThrow("protected");
    await answers("/thing").toEqual([200, '[{"id":1}]']);
    await expect(stack.destroy()).rejects.toThrow("protected");
  });

  test("is served again by a deployment that turns the protection off; another one would change nothing", async () => {
    await stack.up(config());
    expect((await stack.stack.preview()).changeSummary).toEqual({ same: created });
    await answers("/thing").toEqual([200, '[{"id":1}]']);
  });

  test("is removed with its data", async () => {
    await stack.destroy();
    expect((await stack.resources()).size).toBe(0);
    const { items } = await own.core.listPersistentVolumeClaimForAllNamespaces();
    expect(items).toEqual([]);
  });
});
