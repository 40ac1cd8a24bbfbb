import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { AppsV1Api, CoreV1Api, type KubeConfig, type V1Pod } from "@kubernetes/client-node";
import { afterAll, beforeAll, vi } from "vitest";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { type Platform, startPlatform, type StartedPlatform } from "../../local/platform/platform.ts";
import { createProgress } from "../../ops/terminal/progress.ts";

/** The namespace of the tests. */
export const namespace = "default";

/** A platform for the tests of a file, with its clients; available in tests only. */
export class PlatformClients {
  readonly data = realpathSync(mkdtempSync(path.join(tmpdir(), "gatehouse-clients-")));
  #platform: StartedPlatform | undefined;

  constructor() {
    beforeAll(async () => {
      this.#platform = await startPlatform({ data: this.data, progress: createProgress() });
    });
    afterAll(async () => {
      await this.#platform?.stop();
      rmSync(this.data, { recursive: true, force: true });
    });
  }

  get platform(): Platform {
    if (!this.#platform) throw new Error("the platform has not started");
    return this.#platform;
  }

  get apps(): AppsV1Api {
    return this.client(AppsV1Api);
  }

  get core(): CoreV1Api {
    return this.client(CoreV1Api);
  }

  client<T extends Parameters<KubeConfig["makeApiClient"]>[0]>(type: T): InstanceType<T> {
    return RetryingKubeConfig.fromFile(this.platform.kubeconfig).makeApiClient(type) as InstanceType<T>;
  }

  async podsOf(app: string): Promise<V1Pod[]> {
    return (await this.core.listNamespacedPod({ namespace, labelSelector: `app=${app}` })).items;
  }
}

/** Retries the assertion until it passes. */
export function until<T>(assertion: () => Promise<T>): Promise<T> {
  return vi.waitFor(assertion, { timeout: 240_000, interval: 50 });
}

/** Returns the status of a response to `GET /other`. */
export function status(address: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`http://${address}/other`, { headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once("error", reject)
      .end();
  });
}
