import * as authentik from "@pulumi/authentik";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { pinned } from "../images.ts";
import { AUTHENTIK_METRICS } from "../observability/targets.ts";
import { deployment, resources } from "../pods.ts";
import { AUTHENTIK_SERVICE } from "../plan/exposures.ts";
import { outpostName } from "../plan/names.ts";
import type { Installation } from "./installation.ts";
import type { Nobody } from "./nobody.ts";
import type { ProxyProvider } from "./proxyProvider.ts";

export interface DedicatedOutpostArgs {
  /** From 1; 0 is the embedded outpost. */
  readonly number: number;
  readonly version: string;
  /** What the outpost serves; it owns the whole list, so no update is lost. */
  readonly providers: readonly (Nobody | ProxyProvider)[];
  readonly installation: Installation;
  readonly authentik: authentik.Provider;
  readonly browserUrl: string;
}

/** An outpost of its own, for what is too much for the embedded one: its record in authentik, a token, and the pods. */
export class DedicatedOutpost extends pulumi.ComponentResource {
  constructor(name: string, args: DedicatedOutpostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:DedicatedOutpost", name, {}, opts);
    const outpost = new authentik.Outpost(
      `${name}-outpost`,
      {
        name: outpostName(args.number),
        type: "proxy",
        protocolProviders: args.providers.map(({ providerId }) => providerId),
        config: JSON.stringify({ authentik_host: args.browserUrl }),
      },
      { parent: this, dependsOn: [...args.providers] },
    );
    this.#pods(name, args, this.#token(name, args, outpost));
    this.registerOutputs({});
  }

  /** authentik makes a service account for each outpost, by the outpost's id. */
  #token(name: string, args: DedicatedOutpostArgs, outpost: authentik.Outpost): pulumi.Output<string> {
    const username = outpost.id.apply((id) => `ak-outpost-${id.replaceAll("-", "")}`);
    const account = authentik.getUserOutput({ username }, { provider: args.authentik });
    const token = new authentik.Token(
      `${name}-token`,
      {
        identifier: `${outpostName(args.number)}-token`,
        user: account.id.apply(Number),
        intent: "api",
        expiring: false,
        retrieveKey: true,
      },
      { parent: this },
    );
    return token.key;
  }

  #pods(name: string, args: DedicatedOutpostArgs, token: pulumi.Output<string>): void {
    const { installation, number } = args;
    const namespace = installation.namespace.metadata.name;
    const child = { parent: this, provider: installation.kubernetes };
    const environment = new k8s.core.v1.Secret(
      `${name}-environment`,
      {
        // Immutable and named anew, so that a changed token rolls the pods.
        metadata: { namespace },
        immutable: true,
        stringData: {
          AUTHENTIK_HOST: installation.url,
          AUTHENTIK_HOST_BROWSER: args.browserUrl,
          AUTHENTIK_TOKEN: token,
          AUTHENTIK_INSECURE: "false",
        },
      },
      child,
    );
    const { port } = AUTHENTIK_SERVICE;
    const httpGet = { path: "/outpost.goauthentik.io/ping", port };
    const container = {
      name: "outpost",
      image: pinned(`ghcr.io/goauthentik/proxy:${args.version}`),
      envFrom: [{ secretRef: { name: environment.metadata.name } }],
      ports: [{ name: "http", containerPort: port }, AUTHENTIK_METRICS],
      readinessProbe: { httpGet, periodSeconds: 5 },
      startupProbe: { httpGet, periodSeconds: 5, failureThreshold: 60 },
      resources: resources("20m", "64Mi", "256Mi"),
    };
    new k8s.apps.v1.Deployment(
      `${name}-deployment`,
      // Sessions are files in /tmp.
      deployment({ app: outpostName(number), namespace, replicas: 1, container, writesTmp: true }),
      child,
    );
  }
}
