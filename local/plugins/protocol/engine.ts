import * as grpc from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import proto from "@pulumi/pulumi/proto/engine_pb.js";

let engine: InstanceType<typeof services.EngineClient> | undefined;

/** Connects to the engine that started this process, and ends with it: one that is killed cannot end its plugins, but its port closes. */
export function attach(address: string): void {
  const options = { "grpc.client_idle_timeout_ms": 2 ** 31 - 1 };
  engine = new services.EngineClient(address, grpc.credentials.createInsecure(), options);
  const channel = engine.getChannel();
  const watch = (connected: boolean): void => {
    const state = channel.getConnectivityState(true);
    const ready = state === grpc.connectivityState.READY;
    if (connected && !ready) process.exit(0);
    channel.watchConnectivityState(state, Infinity, () => watch(ready));
  };
  watch(false);
}

/** Shows the person a warning, with those of the engine. */
export function warn(message: string): void {
  const request = new proto.LogRequest().setSeverity(proto.LogSeverity.WARNING).setMessage(message);
  // A warning that does not arrive is no reason to stop.
  engine?.log(request, () => undefined);
}
