import {
  type ApiConstructor,
  type ApiType,
  createConfiguration,
  IsomorphicFetchHttpLibrary,
  KubeConfig,
  ResponseContext,
  SelfDecodingBody,
  ServerConfiguration,
  wrapHttpLibrary,
} from "@kubernetes/client-node";
import { type ApiResponse, retryRequest } from "./apiRetry.ts";

const http = new IsomorphicFetchHttpLibrary();

const retryingHttp = wrapHttpLibrary({
  send: async (context) => {
    const send = async (): Promise<ApiResponse> => {
      const { httpStatusCode, headers, body } = await http.send(context).toPromise();
      return { status: httpStatusCode, headers, body: await body.text() };
    };
    const request = { method: context.getHttpMethod(), url: context.getUrl() };
    const { status, headers, body } = await retryRequest(request, send);
    const decoded = new SelfDecodingBody(Promise.resolve(Buffer.from(body)));
    return new ResponseContext(status, headers as Record<string, string>, decoded);
  },
});

/** A kubeconfig whose API clients retry, see `retryRequest`. A `Watch` does not use these clients; an informer reports its errors. */
export class RetryingKubeConfig extends KubeConfig {
  /** @throws Error when the current context has no cluster */
  override makeApiClient<T extends ApiType>(type: ApiConstructor<T>): T {
    const server = this.getCurrentCluster()?.server;
    if (server === undefined) throw new Error(`context "${this.currentContext}" has no cluster in the kubeconfig`);
    return new type(
      createConfiguration({
        baseServer: new ServerConfiguration(server, {}),
        authMethods: { default: this },
        httpApi: retryingHttp,
      }),
    );
  }
}
