import type * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";

/** An address of no server (RFC 5737, 3). */
const NO_ADDRESS = "192.0.2.1";

/** Returns the cluster IP of a Service. The preview of a new Service can have none, nor have Pulumi's mocks; they get the address of no server. */
export function clusterIp(service: k8s.core.v1.Service): pulumi.Output<string> {
  return service.spec.clusterIP.apply((address?: string) => address ?? NO_ADDRESS);
}
