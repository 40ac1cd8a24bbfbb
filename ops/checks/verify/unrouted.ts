/** Hosts that must have no route: those of disabled domains, and an unknown one. */
import { buildConnector } from "undici";
import { lookup } from "../../../infra/loopback.ts";
import type { Exposure } from "../../../infra/plan/types.ts";
import type { OutsideTarget } from "../../../infra/verification/target.ts";
import { type Check, checkWithClient, skip, Unexpected } from "../check.ts";
import { describe } from "./gateway.ts";
import type { Probe } from "./probe.ts";

/** An unknown host: names below `.invalid` never exist (RFC 2606). */
const UNKNOWN_HOST = "gatehouse-unknown.invalid";

type Gateway = Pick<Exposure, "host" | "url" | "tls">;

/** Returns probes of the host of each service on a disabled domain, and of an unknown host. */
export function unroutedProbes({ disabled, exposures }: Pick<OutsideTarget, "disabled" | "exposures">): Probe[] {
  // An exposure on HTTP needs no certificate, and a proxy in front of the gateway may refuse other hosts.
  const gateway =
    exposures.find(({ tls }) => tls === undefined) ?? exposures.find((one) => !isBehindProxy(one)) ?? exposures[0];
  if (gateway === undefined) return [];
  const probe = (subject: string, check: () => Check | Promise<Check>): Probe => {
    return { kind: "domains", subject, run: async () => [await check()] };
  };
  const ofDisabled = disabled.flatMap(({ domain, baseDomain, hosts }) => {
    const subject = `domain ${domain}`;
    if (hosts.length === 0 || (baseDomain !== "" && !baseDomain.includes("$"))) {
      return hosts.map((host) => probe(subject, () => checkNotRouted(gateway, host)));
    }
    const reason = `its base domain ${baseDomain || "is not stated, and"} is not looked up while the domain is off`;
    const hint = `write domains.${domain}.base_domain in the clear, so that its hosts are tried`;
    return [probe(subject, () => skip("its hosts are not routed", reason, hint))];
  });
  return [...ofDisabled, probe("any other host", () => checkNotRouted(gateway, UNKNOWN_HOST))];
}

/**
 * Checks that a host has no route, e.g. on a disabled domain.
 * @param gateway an exposure: its name is that of the TLS connection, because Tailscale's proxies, and Traefik with sniStrict, accept no other one
 */
export function checkNotRouted(gateway: Gateway, host: string): Promise<Check> {
  const connect = buildConnector({ lookup, rejectUnauthorized: false });
  // undici would take the name from the Host header.
  const connectByName: buildConnector.connector = (options, callback) =>
    connect({ ...options, servername: gateway.host }, callback);
  return checkWithClient(
    `${host} is not routed`,
    async (client) => {
      const response = await client.send(gateway.url, { headers: { host }, excerpt: true });
      // A proxy in front of the gateway can refuse a host that is not that of the connection (RFC 9110, 15.5.20).
      const expected = isBehindProxy(gateway) ? [404, 421] : [404];
      if (!expected.includes(response.status))
        throw new Unexpected(`status ${expected.join(" or ")}`, describe(response));
      return `${response.status}`;
    },
    connectByName,
  );
}

function isBehindProxy({ tls }: Gateway): boolean {
  return tls?.termination === "upstream";
}
