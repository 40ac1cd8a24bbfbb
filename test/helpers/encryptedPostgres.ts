import { X509Certificate } from "node:crypto";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { Client, type ClientConfig } from "pg";
import { vi } from "vitest";
import type { PostgresAddress } from "../../local/platform/postgres.ts";
import type { KeyPair } from "./certificates.ts";

/**
 * Configures a running server with a certificate and to reject connections without TLS.
 * @param data folder of the platform that runs it
 */
export async function encrypt(address: PostgresAddress, data: string, { certificate, key }: KeyPair): Promise<void> {
  const cluster = join(data, "postgres", "cluster");
  const { uid, gid } = statSync(cluster);
  const hba = "hostssl all all all scram-sha-256\n";
  for (const [name, text] of Object.entries({ "server.crt": certificate, "server.key": key, "pg_hba.conf": hba })) {
    const file = join(cluster, name);
    writeFileSync(file, text, { mode: 0o600 });
    chownSync(file, uid, gid);
  }
  const target = { ...address, database: "postgres" };
  const ssl = { rejectUnauthorized: false };
  const reload = async (client: Client): Promise<void> => {
    await client.query("alter system set ssl = on");
    await client.query("select pg_reload_conf()");
  };
  // A second certificate is configured over TLS.
  await withConnection(target, reload).catch(() => withConnection({ ...target, ssl }, reload));
  const { fingerprint256 } = new X509Certificate(certificate);
  const serverFingerprint = (client: Client): string | undefined => {
    const { stream } = (client as unknown as { connection: { stream: TLSSocket } }).connection;
    return stream.getPeerX509Certificate()?.fingerprint256;
  };
  await vi.waitFor(
    async () => {
      if ((await withConnection({ ...target, ssl }, serverFingerprint)) !== fingerprint256)
        throw new Error("another certificate");
    },
    { timeout: 240_000 },
  );
}

async function withConnection<T>(config: ClientConfig, work: (client: Client) => T): Promise<Awaited<T>> {
  const client = new Client(config);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
