import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** Set in every pod, by Kubernetes. */
const IN_POD = "KUBERNETES_SERVICE_HOST";

/**
 * A DNS lookup that knows `*.localhost`: RFC 6761 (6.3) sends these names to loopback, browsers do, and many system resolvers do not.
 * Every other name goes to the system; in a pod all do, since the cluster's DNS leads these to the gateway (infra/gateway/clusterDns.ts).
 */
export const lookup: LookupFunction = (hostname, options, callback) => {
  if (!/(^|\.)localhost$/i.test(hostname) || process.env[IN_POD] !== undefined) {
    systemLookup(hostname, options, callback);
  } else if (options.all) {
    callback(null, [{ address: "127.0.0.1", family: 4 }]);
  } else {
    callback(null, "127.0.0.1", 4);
  }
};
