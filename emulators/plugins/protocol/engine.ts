import * as grpc from "@grpc/grpc-js";
import services from "@pulumi/pulumi/proto/engine_grpc_pb.js";

/** Connects to the engine that started this process, and ends with it: one that is killed cannot end its plugins, but its port closes. */
export function attach(address: string): void {
  const options = { "grpc.client_idle_timeout_ms": 2 ** 31 - 1 };
  const channel = new services.EngineClient(address, grpc.credentials.createInsecure(), options).getChannel();
  const watch = (connected: boolean): void => {
    const state = channel.getConnectivityState(true);
    const ready = state === grpc.connectivityState.READY;
    if (connected && !ready) process.exit(0);
    channel.watchConnectivityState(state, Infinity, () => watch(ready));
  };
  watch(false);
}
