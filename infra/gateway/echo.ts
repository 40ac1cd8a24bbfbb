import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { IMAGES } from "../../config/sections/images/imageNames.ts";
import type { Backend, TraefikGateway } from "../../config/settings.ts";
import { pinned } from "../images.ts";
import { gatewayPods, allowIngressFrom } from "../network.ts";
import { deployment, labelsOf, resources, serviceOf } from "../pods.ts";

/** Some container runtimes do not allow a user other than root to listen below 1024. */
const PORT = 8080;

interface EchoArgs {
  /** Name, namespace and port of the Service. */
  readonly backend: Backend;
  readonly gateway: TraefikGateway;
}

/** The test service, which returns the request that it receives (docs/applications.md, Try it). */
export class Echo extends pulumi.ComponentResource {
  constructor(name: string, args: EchoArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:gateway:Echo", name, {}, opts);
    const { backend, gateway } = args;
    const labels = labelsOf(backend.name);
    const metadata = { name: backend.name, namespace: backend.namespace, labels };
    const network = new k8s.networking.v1.NetworkPolicy(
      `${name}-network`,
      { metadata, spec: allowIngressFrom(labels, PORT, [gatewayPods(gateway)]) },
      { parent: this },
    );
    new k8s.apps.v1.Deployment(
      `${name}-deployment`,
      deployment({
        app: backend.name,
        namespace: backend.namespace,
        replicas: 1,
        container: {
          name: "whoami",
          image: pinned(IMAGES.whoami),
          args: ["--port", String(PORT)],
          ports: [{ name: "http", containerPort: PORT }],
          // A POST changes the status of /health.
          readinessProbe: { httpGet: { path: "/api", port: PORT } },
          resources: resources("10m", "16Mi", "64Mi"),
        },
      }),
      { parent: this, dependsOn: network },
    );
    new k8s.core.v1.Service(`${name}-service`, serviceOf(metadata, backend.name, backend.port, PORT), { parent: this });
    this.registerOutputs({});
  }
}
