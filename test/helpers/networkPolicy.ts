/** The peer of a NetworkPolicy that selects Traefik's pods in a namespace, and no other pods there. */
export function gatewayIn(namespace: string): object {
  return {
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    podSelector: { matchLabels: { "app.kubernetes.io/name": "traefik" } },
  };
}
