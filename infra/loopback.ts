import { lookup as systemLookup } from "node:dns";
import { lookup as resolvedBySystem, Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import type { LookupFunction } from "node:net";

/** Set in every pod, by Kubernetes. */
const IN_POD = "KUBERNETES_SERVICE_HOST";

/** Returns whether browsers resolve a name to this machine, regardless of the resolver (RFC 6761, 6.3). */
export function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost$/i.test(host);
}

/**
 * Resolves `*.localhost` to loopback, as browsers do; many system resolvers do not.
 * Every other name goes to the system; in a pod all do, because the cluster's DNS resolves these to the gateway (infra/gateway/clusterDns.ts).
 */
export const lookup: LookupFunction = (hostname, options, callback) => {
  if (!isLoopbackName(hostname) || process.env[IN_POD] !== undefined) {
    systemLookup(hostname, options, callback);
  } else if (options.all) {
    callback(null, [{ address: "127.0.0.1", family: 4 }]);
  } else {
    callback(null, "127.0.0.1", 4);
  }
};

/** Two attempts, so that a resolver that does not answer delays a deployment by seconds. */
const DNS = { timeout: 2_000, tries: 2 };

/**
 * Returns whether the provider plugins resolve a name. They are static Go programs: on Linux they read the hosts file and ask the DNS servers, without
 * the rule for `*.localhost` of browsers and of glibc's myhostname (measured with the plugins: "lookup authentik.localhost ...: no such host"). Elsewhere
 * they ask the system (https://pkg.go.dev/net#hdr-Name_Resolution).
 * @param hostsFile its path; tests pass their own
 */
export async function pluginsResolve(host: string, hostsFile = "/etc/hosts"): Promise<boolean> {
  if (process.platform !== "linux") return succeeds(resolvedBySystem(host));
  const lines = (await readFile(hostsFile, "utf8").catch(() => "")).split("\n");
  const names = lines.flatMap((line) => line.replace(/#.*/, "").trim().split(/\s+/).slice(1));
  if (names.some((name) => name.toLowerCase() === host.toLowerCase())) return true;
  return succeeds(new Resolver(DNS).resolve4(host));
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
