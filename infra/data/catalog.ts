import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { IMAGES } from "../../config/sections/images/imageNames.ts";
import type { Catalog as CatalogSettings, DataApi, TraefikGateway } from "../../config/settings.ts";
import { limitsFrom } from "../../config/sections/dataApi/limits.ts";
import { pinned } from "../images.ts";
import { denyEgress, gatewayPods, allowIngressFrom } from "../network.ts";
import { CATALOG_SERVICE } from "../plan/ownServices.ts";
import type { Exposure } from "../plan/types.ts";
import { deployment, disruptionBudgetOf, labelsOf, resources, serviceOf, STARTUP, type Workload } from "../pods.ts";
import type { CatalogFiles } from "./catalogFiles.ts";

const { name: APP, port: PORT } = CATALOG_SERVICE;
const FOLDER = "/app";

interface CatalogArgs {
  readonly catalog: CatalogSettings;
  readonly gateway: TraefikGateway;
  readonly namespace: k8s.core.v1.Namespace;
  /** All exposures; those of the data API and the catalog contain the URLs. */
  readonly exposures: readonly Exposure[];
  /** Address of the data API for hosts of no domain. */
  readonly publicUrl: string;
  /** Limits of the data API, which the page shows. */
  readonly limits: DataApi["limits"];
  /** The server, and what it serves. */
  readonly files: CatalogFiles;
}

/** The web catalog: static files in a ConfigMap, and a small server of them. It reads no data; browsers request the data API directly. */
export class Catalog extends pulumi.ComponentResource {
  constructor(name: string, args: CatalogArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:data:Catalog", name, {}, opts);
    const { catalog, gateway, files } = args;
    const namespace = args.namespace.metadata.name;
    const labels = labelsOf(APP);
    const own = { namespace, name: APP, labels };
    const child = { parent: this };
    // Autonamed: a new build is another object, so pods roll over to it, and those that still run keep theirs.
    const configMap = new k8s.core.v1.ConfigMap(
      `${name}-files`,
      {
        metadata: { namespace, labels },
        immutable: true,
        binaryData: Object.fromEntries([...files].map(([path, content]) => [keyOf(path), content.toString("base64")])),
      },
      child,
    );
    const workload = {
      app: APP,
      namespace,
      replicas: catalog.replicas,
      container: container(args),
      files: [
        {
          folder: FOLDER,
          configMap: configMap.metadata.name,
          paths: Object.fromEntries([...files.keys()].map((path) => [keyOf(path), path])),
        },
      ],
      spread: true,
    };
    const network = new k8s.networking.v1.NetworkPolicy(
      `${name}-network`,
      { metadata: own, spec: denyEgress(allowIngressFrom(labels, PORT, [gatewayPods(gateway)])) },
      child,
    );
    new k8s.apps.v1.Deployment(`${name}-deployment`, deployment(workload), { ...child, dependsOn: network });
    new k8s.policy.v1.PodDisruptionBudget(`${name}-disruption`, disruptionBudgetOf(own, APP), child);
    new k8s.core.v1.Service(`${name}-service`, serviceOf(own, APP, PORT), child);
    this.registerOutputs({});
  }
}

/** Returns a path as a key of a ConfigMap, which has no slashes. */
function keyOf(path: string): string {
  return path.replaceAll("/", "_");
}

function container(args: CatalogArgs): Workload["container"] {
  return {
    name: APP,
    image: pinned(IMAGES.node),
    command: ["node", `${FOLDER}/server.mjs`],
    env: Object.entries(catalogSettings(args)).map(([name, value]) => ({ name, value })),
    ports: [{ name: "http", containerPort: PORT }],
    startupProbe: { httpGet: { path: "/healthz", port: PORT }, ...STARTUP },
    readinessProbe: { httpGet: { path: "/healthz", port: PORT }, periodSeconds: 2 },
    livenessProbe: { httpGet: { path: "/healthz", port: PORT }, periodSeconds: 10 },
    resources: resources("10m", "96Mi", "256Mi"),
  };
}

/** Returns the settings of the server (catalog/server/settings.ts): the page of each domain reads the data API of the same domain. */
export function catalogSettings({
  catalog,
  exposures,
  publicUrl,
  limits,
}: Pick<CatalogArgs, "catalog" | "exposures" | "publicUrl" | "limits">): Record<string, string> {
  const on = (role: Exposure["role"]) => exposures.filter((exposure) => exposure.role === role);
  const data = new Map(on("data-api").map(({ domain, url }) => [domain, url]));
  const baseUrls = on("catalog").map(({ domain, url }) => [new URL(url).host, data.get(domain) ?? publicUrl]);
  return {
    PORT: String(PORT),
    BASE_PATH: catalog.basePath,
    BASE_URLS: JSON.stringify(Object.fromEntries(baseUrls)),
    DEFAULT_BASE_URL: publicUrl,
    LIMITS: JSON.stringify(limitsFrom((name) => limits[name])),
  };
}
