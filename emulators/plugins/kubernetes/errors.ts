/** The API server refused a call. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** There is no API server to call, or no kubeconfig that says where. */
export class Unreachable extends Error {
  constructor(reason: string) {
    super(`configured Kubernetes cluster is unreachable: ${reason}`);
  }
}
