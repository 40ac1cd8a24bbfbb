/** Loopback and private networks (RFC 1918, RFC 4193): those that can connect to Postgres through a load balancer by default. */
export const PRIVATE_NETWORKS = ["127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];
