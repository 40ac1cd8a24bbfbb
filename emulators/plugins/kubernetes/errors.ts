/** The API server refused a call. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The API server or the kubeconfig does not exist. */
export class Unreachable extends Error {
  constructor(reason: string) {
    super(`configured Kubernetes cluster is unreachable: ${reason}`);
  }
}
