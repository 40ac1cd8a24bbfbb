import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { IMAGES } from "../../config/sections/images/imageNames.ts";
import type { Cluster } from "../cluster.ts";
import { pinned } from "../images.ts";
import { signInPages } from "../plan/outposts.ts";
import { deployment, resources, serviceOf, STARTUP } from "../pods.ts";

const FOLDER = "/app";
const SERVER = "server.mjs";

interface SignInPagesArgs {
  /** Namespace of the outposts. */
  readonly namespace: pulumi.Output<string>;
  readonly cluster: Cluster;
  /** Admits the gateway only. */
  readonly network: pulumi.Resource;
}

/** The pages that a user sees where an outpost answers with nothing: a failed callback, and a sign-out without a session. */
export class SignInPages extends pulumi.ComponentResource {
  constructor(name: string, { namespace, network, cluster }: SignInPagesArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:SignInPages", name, {}, opts);
    const child = { parent: this, provider: cluster.provider };
    const { name: app, port } = signInPages("");
    const server = readFileSync(join(import.meta.dirname, "signInPages", SERVER), "utf8");
    const configMap = new k8s.core.v1.ConfigMap(
      `${name}-files`,
      { metadata: { namespace }, immutable: true, data: { [SERVER]: server } },
      child,
    );
    const httpGet = { path: "/healthz", port };
    const container = {
      name: "pages",
      image: pinned(IMAGES.node),
      command: ["node", `${FOLDER}/${SERVER}`],
      env: [{ name: "PORT", value: String(port) }],
      ports: [{ name: "http", containerPort: port }],
      startupProbe: { httpGet, ...STARTUP },
      readinessProbe: { httpGet, periodSeconds: 2 },
      livenessProbe: { httpGet, periodSeconds: 10 },
      resources: resources("5m", "48Mi", "128Mi"),
    };
    const files = [{ folder: FOLDER, configMap: configMap.metadata.name, paths: { [SERVER]: SERVER } }];
    new k8s.apps.v1.Deployment(`${name}-deployment`, deployment({ app, namespace, replicas: 1, container, files }), {
      ...child,
      dependsOn: network,
    });
    new k8s.core.v1.Service(`${name}-service`, serviceOf({ name: app, namespace }, app, port), child);
    this.registerOutputs({});
  }
}
