import type * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { urlHost } from "./urlHost.ts";

/** An address of no server (RFC 5737, 3). */
const NO_ADDRESS = "192.0.2.1";

/** Returns the cluster IP of a Service. The preview of a new Service can have none, nor have Pulumi's mocks; they get the address of no server. */
export function clusterIp(service: k8s.core.v1.Service): pulumi.Output<string> {
  return service.spec.clusterIP.apply((address?: string) => address ?? NO_ADDRESS);
}

/** Returns the address of a Service that speaks HTTP: its cluster IP, which needs no cluster DNS. */
export function serviceUrl(service: k8s.core.v1.Service, port: number): pulumi.Output<string> {
  return clusterIp(service).apply((address) => `http://${urlHost(address)}:${port}`);
}
