/** Addresses of the node. All of them are in its own network namespace. */
export const NODE_NAME = "node";
export const NODE_IP = "192.0.2.2";
export const GATEWAY_IP = "192.0.2.1";
export const POD_RANGE = "10.42.0.0/24";
export const SERVICE_RANGE = "10.43.0.0/16";
export const DNS_IP = "10.43.0.10";
export const API_PORT = 6443;
/** The context of the stack file. */
export const CONTEXT = "gatehouse-cluster";
