import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** Set in every pod, by Kubernetes. */
const IN_POD = "KUBERNETES_SERVICE_HOST";

/** Returns whether browsers resolve a name to this machine, regardless of the resolver (RFC 6761, 6.3). */
export function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost$/i.test(host);
}

/**
 * A DNS lookup that sends `*.localhost` to loopback, as browsers do; many system resolvers do not.
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
