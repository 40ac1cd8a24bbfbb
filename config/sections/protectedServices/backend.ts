/** Where an application runs in the cluster: a Kubernetes Service and one of its ports. */
export interface Backend {
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
}

/** Returns `<namespace>/<name>:<port>`. */
export function backendText({ namespace, name, port }: Backend): string {
  return `${namespace}/${name}:${port}`;
}
