import { credentials, Server, ServerCredentials } from "@grpc/grpc-js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { ResourceMonitorClient, ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../../local/platform/ports.ts";
import { grpcClientOptions } from "../../../ops/engine/stack.ts";

/** Calls the engine on a port, with a separate client, as each run has. @returns the error */
function call(port: number, options: object): Promise<string | undefined> {
  const client = new ResourceMonitorClient(`127.0.0.1:${port}`, credentials.createInsecure(), options);
  return new Promise((resolve) => {
    client.signalAndWaitForShutdown(new empty.Empty(), (error) => resolve(error?.details));
  });
}

/** Starts an engine. */
async function listen(port: number): Promise<void> {
  const server = new Server();
  server.addService(
    { end: ResourceMonitorService.signalAndWaitForShutdown },
    {
      end: (_: unknown, callback: (error: null, response: empty.Empty) => void) => callback(null, new empty.Empty()),
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  onTestFinished(() => server.forceShutdown());
}

test.each([
  ["reaches an engine on the port of an ended one", grpcClientOptions, undefined],
  [
    "does not reach it if the clients share connections",
    { ...grpcClientOptions, "grpc.use_local_subchannel_pool": 0, "grpc.initial_reconnect_backoff_ms": 60_000 },
    expect.stringContaining("No connection established. Last error: null"),
  ],
])("%s", async (_, options, error) => {
  const port = await freePort();
  expect(await call(port, options)).toContain("ECONNREFUSED");
  await listen(port);
  expect(await call(port, options)).toEqual(error);
});
