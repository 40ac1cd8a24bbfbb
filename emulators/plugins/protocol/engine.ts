import * as grpc from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/engine_pb.js";

/** Sends an error to the log of the engine. @param urn empty: of no resource */
export type LogError = (message: string, urn: string) => Promise<void>;

/**
 * Connects to the engine that started this process, and ends with it: one that is killed cannot end its plugins, but its port closes.
 * @returns the log of the engine
 */
export function attach(address: string): LogError {
  const options = { "grpc.client_idle_timeout_ms": 2 ** 31 - 1 };
  const client = new services.EngineClient(address, grpc.credentials.createInsecure(), options);
  const channel = client.getChannel();
  const watch = (connected: boolean): void => {
    const state = channel.getConnectivityState(true);
    const ready = state === grpc.connectivityState.READY;
    if (connected && !ready) process.exit(0);
    channel.watchConnectivityState(state, Infinity, () => watch(ready));
  };
  watch(false);
  return (message, urn) =>
    new Promise((resolve) => {
      const request = new proto.LogRequest().setSeverity(proto.LogSeverity.ERROR).setMessage(message).setUrn(urn);
      client.log(request, () => resolve());
    });
}
