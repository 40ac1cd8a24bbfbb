import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { inject } from "vitest";
import { packageFolder } from "../../config/files/folders.ts";
import { parseStack, readStackFile } from "../../config/load.ts";
import type { Settings } from "../../config/settings.ts";
import { RetryingKubeConfig } from "../../infra/kubeConfig.ts";
import { computePlan } from "../../infra/plan/plan.ts";
import type { Credentials } from "../../ops/clients/signIn.ts";
import { openContext, type ShellEnvironment, type StackContext } from "../../ops/context/context.ts";
import { note } from "../helpers/exchanges.ts";

/** Returns the origin of a host of the local stack, with its port if it has one. */
export function origin(label: string): string {
  const found = inject("platform").urls.find((url) => new URL(url).hostname === `${label}.localhost`);
  if (found === undefined) {
    throw new Error(`the local stack has no ${label}.localhost among ${inject("platform").urls.join(", ")}`);
  }
  return new URL(found).origin;
}

/** Returns the kubeconfig of the platform, as its administrator. */
export function clusterConfig(): RetryingKubeConfig {
  return RetryingKubeConfig.fromFile(join(inject("platform").data, "kubeconfig"));
}

/** Opens the context of the local stack, as a command does that runs in this process. */
export function openLocalContext(): { readonly shell: ShellEnvironment; readonly target: StackContext } {
  const shell = { project: packageFolder(), data: inject("platform").data, environment: process.env };
  return { shell, target: openContext("gatehouse-local", shell) };
}

/** Returns the settings of the local stack, without its secrets. */
export function localSettings(): Settings {
  const raw = readStackFile(join(import.meta.dirname, "../../Pulumi.local.yaml"), "local");
  return parseStack(raw, process.env, { secretsRequired: false });
}

/** Returns the name of the forward-auth middleware in front of a host of the local stack. */
export function forwardAuthOf(label: string): string {
  const { exposures, middlewares } = computePlan(localSettings());
  const outpost = exposures.find(({ service }) => service === label)?.outpost;
  const found = middlewares.find(
    (one) => one.kind === "forward-auth" && one.outpost === outpost && one.refusal === "login",
  );
  if (!found) throw new Error(`${label} is not behind forward auth`);
  return found.name;
}

/** Returns the credentials of a sample user. */
export function sampleUser(username: string): Credentials {
  const name = `${username.toUpperCase()}_PASSWORD`;
  const password = Object.entries(inject("platform").variables).find(([variable]) => variable.endsWith(name))?.[1];
  if (password === undefined) {
    throw new Error(`no variable ends in ${name}`);
  }
  return { username, password };
}

interface RawResponse {
  readonly status: number;
  readonly body: string;
}

/** Sends header lines exactly as given: any case, repeated, in order. Libraries that fold header names would hide what the tests verify. */
export function sendRaw(url: string, lines: readonly (readonly [string, string])[]): Promise<RawResponse> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const headers = [["Host", host], ...lines].flat();
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: port || 80, path: pathname + search, headers, servername: hostname };
    const outgoing = httpRequest(options, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      response.on("error", reject).on("end", () => {
        const received = { status: response.statusCode ?? 0, body };
        note(`GET ${url}`, { ...received, headers: response.headers });
        resolve(received);
      });
    });
    outgoing.on("error", reject).end();
  });
}
