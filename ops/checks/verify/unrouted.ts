/** Hosts that must have no route: those of disabled domains, and an unknown one. */
import { buildConnector } from "undici";
import { lookup } from "../../../infra/loopback.ts";
import { terminatesTls } from "../../../infra/plan/exposure.ts";
import type { Exposure } from "../../../infra/plan/types.ts";
import type { OutsideTarget } from "../../../infra/verification/target.ts";
import { mayBeGatewayResponse } from "../../clients/gatewayResponse.ts";
import type { HttpResponse } from "../../clients/http.ts";
import { type Check, checkWithClient, skip, Unexpected } from "../check.ts";
import { describe } from "./gateway.ts";
import type { Probe } from "./probe.ts";

/** An unknown host: names below `.invalid` never exist (RFC 2606). */
const UNKNOWN_HOST = "gatehouse-unknown.invalid";

type Gateway = Pick<Exposure, "host" | "url" | "tls">;

/** Returns probes of every host that the stack would have on a disabled domain, and of an unknown host. */
export function unroutedProbes({ disabled, exposures }: Pick<OutsideTarget, "disabled" | "exposures">): Probe[] {
  const gateways = gatewaysOf(exposures);
  if (gateways.length === 0) return [];
  const probe = (subject: string, run: Probe["run"]): Probe => ({ kind: "domains", subject, run });
  const notRouted = (subject: string, host: string): Probe =>
    probe(subject, () => Promise.all(gateways.map((gateway) => checkNotRouted(gateway, host))));
  const ofDisabled = disabled.flatMap(({ domain, baseDomain, hosts }) => {
    const subject = `domain ${domain}`;
    if (hosts.length === 0 || (baseDomain !== "" && !baseDomain.includes("$"))) {
      return hosts.map((host) => notRouted(subject, host));
    }
    const reason = `its base domain ${baseDomain || "is missing or a template variable; it"} is not resolved while the domain is disabled`;
    const hint = `write domains.${domain}.base_domain in plain text, so that verify requests its hosts`;
    return [probe(subject, () => Promise.resolve([skip("its hosts are not routed", reason, hint)]))];
  });
  return [...ofDisabled, notRouted("any other host", UNKNOWN_HOST)];
}

/** Returns an exposure of each entry point of the gateway, HTTP and HTTPS. A proxy in front of it may refuse other hosts, so that it is the last choice. */
function gatewaysOf(exposures: readonly Gateway[]): Gateway[] {
  const http = exposures.find(({ tls }) => tls === undefined) ?? exposures.find(isBehindProxy);
  return [http, exposures.find(terminatesTls)].filter((gateway) => gateway !== undefined);
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
    `${host} is not routed at ${gateway.url}`,
    async (client) => {
      const response = await client.send(gateway.url, { headers: { host }, excerpt: true });
      if (!isRefused(gateway, response)) throw new Unexpected("the gateway's own 404", describe(response));
      return `${response.status}`;
    },
    connectByName,
  );
}

/** Returns whether a gateway has no route for the host of a request. */
function isRefused(gateway: Gateway, response: HttpResponse): boolean {
  // A proxy can refuse the host itself: with 421, if it is not that of the connection (RFC 9110, 15.5.20). One in Go writes the headers of the
  // gateway's 404 in the order of an application.
  if (isBehindProxy(gateway)) return response.status === 404 || response.status === 421;
  return response.status === 404 && mayBeGatewayResponse(response);
}

function isBehindProxy({ tls }: Gateway): boolean {
  return tls?.termination === "upstream";
}
