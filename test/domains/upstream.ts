/** A proxy before the gateway that terminates TLS, like a load balancer or a tunnel. */
import { once } from "node:events";
import { request as forward } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { selfSigned } from "../../emulators/authentik/certificate.ts";

interface Upstream {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts the proxy. @param gateway port of the gateway's entry point for HTTP on loopback */
export async function startUpstream(gateway: number): Promise<Upstream> {
  const { certificate_data: cert, key_data: key } = selfSigned("external.test");
  const server = createServer({ cert, key }, (incoming, outgoing) => {
    const { method, url: path, rawHeaders: headers } = incoming;
    const passed = forward({ host: "127.0.0.1", port: gateway, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(outgoing);
    });
    passed.on("error", () => outgoing.writeHead(502).end());
    incoming.pipe(passed);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, stop };
}
