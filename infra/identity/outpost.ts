import * as authentik from "#authentik";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { IMAGES } from "../../config/sections/images/imageNames.ts";
import { pinned } from "../images.ts";
import { AUTHENTIK_METRICS } from "../observability/targets.ts";
import type { Outpost as OutpostPlan } from "../plan/types.ts";
import { deployment, resources } from "../pods.ts";
import { LISTEN, PROBES } from "./containers.ts";
import type { Outposts } from "./outposts.ts";
import type { ProxyProvider } from "./proxyProvider.ts";

interface OutpostArgs {
  readonly outpost: OutpostPlan;
  /** Version of the image; the server's. */
  readonly version: string;
  readonly providers: readonly ProxyProvider[];
  /** Namespace and Service of the outpost. */
  readonly outposts: Outposts;
  readonly authentik: authentik.Provider;
  /** Address of authentik from inside the cluster. */
  readonly serverUrl: pulumi.Input<string>;
  /** Origin of authentik as browsers see it. */
  readonly browserUrl: string;
}

/**
 * An outpost loads its providers after an event, and every minute. authentik sends no event when an application gets its former provider
 * again, as in the deployment that reverts a failed one, and its default of five minutes is as long as a deployment waits (docs/authentik.md).
 */
const REFRESH_INTERVAL = "minutes=1";

/**
 * A standalone proxy outpost: its record in authentik, which owns the list of providers, a token, and one pod. Sessions are files in
 * memory, so a restart ends them; users who are still signed in at authentik get a new session without a login (docs/requests.md).
 */
export class Outpost extends pulumi.ComponentResource {
  constructor(name: string, args: OutpostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Outpost", name, {}, opts);
    const outpost = new authentik.Outpost(
      `${name}-outpost`,
      {
        name: args.outpost.name,
        type: "proxy",
        protocolProviders: args.providers.map(({ providerId }) => providerId),
        config: JSON.stringify({ authentik_host: args.browserUrl, refresh_interval: REFRESH_INTERVAL }),
      },
      // An outpost serves no provider without an application.
      { parent: this, dependsOn: args.providers.flatMap(({ application }) => application) },
    );
    this.#pods(name, args, this.#token(name, args, outpost));
    this.registerOutputs({});
  }

  /** Returns the token of the outpost's service account, which authentik names after the outpost's id. */
  #token(name: string, args: OutpostArgs, outpost: authentik.Outpost): pulumi.Output<string> {
    const username = outpost.id.apply((id) => `ak-outpost-${id.replaceAll("-", "")}`);
    const account = authentik.getUserOutput({ username }, { provider: args.authentik });
    const token = new authentik.Token(
      `${name}-token`,
      {
        identifier: `${args.outpost.name}-token`,
        user: account.id.apply(Number),
        intent: "api",
        expiring: false,
        retrieveKey: true,
      },
      { parent: this },
    );
    return token.key;
  }

  #pods(name: string, args: OutpostArgs, token: pulumi.Output<string>): void {
    const { outpost, outposts } = args;
    const child = { parent: this, provider: outposts.kubernetes };
    const environment = new k8s.core.v1.Secret(
      `${name}-environment`,
      {
        // Immutable and autonamed, so that a changed token restarts the pod.
        metadata: { namespace: outposts.namespace },
        immutable: true,
        stringData: {
          AUTHENTIK_HOST: args.serverUrl,
          AUTHENTIK_HOST_BROWSER: args.browserUrl,
          AUTHENTIK_TOKEN: token,
          AUTHENTIK_INSECURE: "false",
        },
      },
      child,
    );
    const httpGet = { path: "/outpost.goauthentik.io/ping", port: outpost.port };
    const container = {
      name: "outpost",
      image: pinned(IMAGES.outpost(args.version)),
      envFrom: [{ secretRef: { name: environment.metadata.name } }],
      env: LISTEN,
      ports: [{ name: "http", containerPort: outpost.port }, AUTHENTIK_METRICS],
      startupProbe: { httpGet, ...PROBES.startup },
      readinessProbe: { httpGet, ...PROBES.ready },
      livenessProbe: { httpGet, ...PROBES.live },
      // 256 MiB of the limit are the sessions. Each request without a cookie adds one of 4 KiB, which stays as long as a session.
      resources: resources("20m", "64Mi", "384Mi"),
    };
    new k8s.apps.v1.Deployment(
      `${name}-deployment`,
      deployment({
        app: outpost.name,
        namespace: outposts.namespace,
        replicas: 1,
        container,
        writable: [{ path: "/dev/shm", memory: "256Mi" }],
      }),
      { ...child, ...(outposts.network && { dependsOn: outposts.network }) },
    );
  }
}
