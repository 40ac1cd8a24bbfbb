import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";

/**
 * A DNS lookup that knows `*.localhost`: RFC 6761 (6.3) sends these names to loopback, browsers do, and many system resolvers do not.
 * Every other name goes to the system.
 */
export const lookup: LookupFunction = (hostname, options, callback) => {
  if (!/(^|\.)localhost$/i.test(hostname)) {
    systemLookup(hostname, options, callback);
  } else if (options.all) {
    callback(null, [{ address: "127.0.0.1", family: 4 }]);
  } else {
    callback(null, "127.0.0.1", 4);
  }
};
