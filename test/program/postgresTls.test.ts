import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { UserError } from "../../config/errors/userError.ts";
import { sections, stack } from "../config/stacks.ts";
import { newAuthority } from "../helpers/certificates.ts";
import type { Recorder } from "../helpers/recorder.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";
import { writeRootCertificates } from "../../infra/postgres/certificateFile.ts";
import { tlsOptions } from "../../infra/postgres/tls.ts";

interface Pod {
  readonly containers: readonly {
    readonly env?: readonly { readonly name: string; readonly value: string }[];
    readonly volumeMounts?: readonly { readonly name: string }[];
    readonly securityContext: object;
  }[];
  readonly volumes?: readonly { readonly name: string }[];
}
interface Manifest {
  readonly spec: { readonly template: { readonly spec: Pod } };
}

interface JobManifest {
  readonly spec: { readonly template: { readonly metadata: { readonly annotations: unknown } } };
}

const ca = newAuthority("Private CA").certificate;
/** Pods that connect to the database: workload, and the variable that names the file. */
const CLIENTS = [
  ["authentik/authentik-server", "AUTHENTIK_POSTGRESQL__SSLROOTCERT"],
  ["authentik/authentik-worker", "AUTHENTIK_POSTGRESQL__SSLROOTCERT"],
  ["gatehouse-data/postgrest", "PGSSLROOTCERT"],
  ["gatehouse-data/data-migrations-job", "PGSSLROOTCERT"],
] as const;
const VOLUME = "etc-gatehouse-postgres";

const deployWith = (fields: Record<string, unknown>) =>
  deploy(
    stack({ postgres: { host: "db.example.org", password: "${POSTGRES}", ...fields }, data_api: sections.data_api }),
  );
/** By `<namespace>/<name>`. */
const podsOf = (recorder: Recorder): ReadonlyMap<string, Pod> =>
  new Map(
    ["apps/v1:Deployment", "batch/v1:Job"].flatMap((type) =>
      [...recorder.objects<Manifest>(type)].map(([name, { spec }]): [string, Pod] => [name, spec.template.spec]),
    ),
  );
const certificatesOf = (recorder: Recorder) =>
  recorder.of("kubernetes:core/v1:ConfigMap").filter(({ name }) => name.endsWith("-root-certificates"));

describe("a server whose certificate is verified", () => {
  let recorder: Recorder;
  let pods: ReadonlyMap<string, Pod>;
  beforeAll(async () => {
    recorder = await deployWith({ sslmode: "verify-full", sslrootcert: ca });
    pods = podsOf(recorder);
  }, PATIENCE);

  test("has its root certificate in one immutable, autonamed ConfigMap of each namespace", () => {
    const found = certificatesOf(recorder).map(({ name, inputs: { metadata, immutable, data } }) => ({
      name,
      metadata,
      immutable,
      data,
    }));
    found.sort((a, b) => a.name.localeCompare(b.name));
    const shared = { immutable: true, data: { "root.crt": ca } };
    expect(found).toEqual([
      { name: "authentik-root-certificates", metadata: { namespace: "authentik" }, ...shared },
      { name: "data-root-certificates", metadata: { namespace: "gatehouse-data" }, ...shared },
    ]);
  });

  test.each(CLIENTS)("is verified by %s", (name, variable) => {
    const pod = pods.get(name);
    const [container] = pod?.containers ?? [];
    expect(container?.env).toContainEqual({ name: variable, value: "/etc/gatehouse/postgres/root.crt" });
    expect(container?.volumeMounts).toContainEqual({
      name: VOLUME,
      mountPath: "/etc/gatehouse/postgres",
      readOnly: true,
    });
    expect(container?.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    // Under mocks an autonamed object has no name.
    const configMap = { items: [{ key: "root.crt", path: "root.crt" }] };
    expect(pod?.volumes).toContainEqual({ name: VOLUME, configMap });
  });

  test("is verified by no other pod", () => {
    const others = [...pods].filter(([name]) => !CLIENTS.some(([client]) => client === name));
    expect(others.length).toBeGreaterThan(0);
    for (const [, pod] of others) expect(JSON.stringify(pod)).not.toContain(VOLUME);
  });

  test("has sslmode in the connection of each client, and the file in none", () => {
    const data = recorder.of("kubernetes:core/v1:Secret").map(({ inputs }) => inputs["stringData"] ?? {});
    const connections = Object.assign({}, ...data) as Record<string, string>;
    expect(connections).toMatchObject({
      PGRST_DB_URI: "postgres://gatehouse_authenticator@db.example.org:5432/gatehouse?sslmode=verify-full",
      PGSSLMODE: "verify-full",
      AUTHENTIK_POSTGRESQL__SSLMODE: "verify-full",
    });
  });

  test("is verified by the provider with a file below the project's folder", () => {
    const { inputs, visible } = recorder.one("pulumi:providers:postgresql", "postgres");
    const { sslmode, sslrootcert } = inputs as Record<string, string>;
    expect([sslmode, sslrootcert]).toEqual([
      "verify-full",
      expect.stringMatching(/^\.gatehouse\/postgres-[0-9a-f]{8}\.crt$/),
    ]);
    expect(readFileSync(join(import.meta.dirname, "../..", sslrootcert ?? ""), "utf8")).toBe(ca);
    expect(visible).not.toContain("CERTIFICATE");
  });

  test("keeps the annotation of the migrations Job, so that it does not run again", async () => {
    const jobs = (from: Recorder) =>
      [...from.objects<JobManifest>("batch/v1:Job").values()].map(({ spec }) => spec.template.metadata.annotations);
    expect(jobs(await deployWith({}))).toEqual(jobs(recorder));
  });
});

test(
  "mounts no root certificate where none is verified",
  async () => {
    const recorder = await deployWith({ sslmode: "require" });
    expect(certificatesOf(recorder)).toEqual([]);
    for (const [name, variable] of CLIENTS) {
      const pod = JSON.stringify(podsOf(recorder).get(name));
      expect(pod).not.toContain(variable);
      expect(pod).not.toContain(VOLUME);
    }
    expect(recorder.one("pulumi:providers:postgresql", "postgres").inputs).not.toHaveProperty("sslrootcert");
  },
  PATIENCE,
);

describe("the file of the provider", () => {
  test("has a name with a hash of its content, and is written again if it is missing or changed", () => {
    const project = mkdtempSync(join(tmpdir(), "gatehouse-file-"));
    const path = writeRootCertificates("one\n", project);
    expect(path).not.toBe(writeRootCertificates("two\n", project));
    rmSync(join(project, path));
    expect(writeRootCertificates("one\n", project)).toBe(path);
    expect(readFileSync(join(project, path), "utf8")).toBe("one\n");
    rmSync(project, { recursive: true });
    expect(existsSync(project)).toBe(false);
  });

  test("is named with the reason if it cannot be written", () => {
    const project = mkdtempSync(join(tmpdir(), "gatehouse-file-"));
    const folder = join(project, ".gatehouse");
    writeFileSync(folder, "");
    expect(() => writeRootCertificates("one\n", project)).toThrow(
      new UserError(
        `the certificates of postgres.sslrootcert cannot be written: EEXIST: file already exists, mkdir '${folder}'`,
        `make ${folder} a folder that the user can write to`,
      ),
    );
    rmSync(project, { recursive: true });
  });
});

describe("the TLS options of node-postgres", () => {
  const identity = (sslmode: "verify-ca" | "verify-full", host: string) => {
    const options = tlsOptions({ sslmode, sslrootcert: ca }, host);
    expect(options).toMatchObject({ ca, rejectUnauthorized: true });
    return (names: string) => {
      const peer = { subject: { CN: "db" }, subjectaltname: names } as Parameters<
        NonNullable<Exclude<typeof options, false>["checkServerIdentity"]>
      >[1];
      return options && options.checkServerIdentity?.("localhost", peer)?.message;
    };
  };

  test("do not verify with disable and require", () => {
    expect(tlsOptions({ sslmode: "disable" }, "db")).toBe(false);
    expect(tlsOptions({ sslmode: "require" }, "db")).toEqual({ rejectUnauthorized: false });
  });

  test("accept every host with verify-ca, and that of the connection alone with verify-full", () => {
    expect(identity("verify-ca", "10.0.0.7")("DNS:other")).toBeUndefined();
    expect(identity("verify-full", "10.0.0.7")("IP Address:10.0.0.7")).toBeUndefined();
    expect(identity("verify-full", "db.example.org")("DNS:db.example.org")).toBeUndefined();
    // What node-postgres asks for when the host is an IP address.
    expect(identity("verify-full", "10.0.0.7")("DNS:localhost")).toContain("10.0.0.7");
    expect(identity("verify-full", "db.example.org")("DNS:localhost")).toContain("db.example.org");
  });
});
