import { gzipSync } from "node:zlib";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { IMAGES } from "../../config/sections/images/imageNames.ts";
import type { Settings, Verification as VerificationSettings } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import { pinned } from "../images.ts";
import { allowEgressToGateway, gatewayPods } from "../network.ts";
import type { Plan } from "../plan/types.ts";
import { containerDefaults, labelsOf, resources, restrictedPod } from "../pods.ts";
import type { Bundle } from "./bundle.ts";
import { outsideTarget } from "./outsideTarget.ts";
import type { JobTarget } from "./target.ts";

const APP = "gatehouse-verify";
const FOLDER = "/app";
/** A run that takes longer has lost its gateway; in seconds. */
const DEADLINE = 900;

interface VerificationArgs {
  readonly verification: VerificationSettings;
  readonly settings: Settings;
  readonly plan: Plan;
  readonly cluster: Cluster;
  /** The program (ops/checks/verify/job). */
  readonly bundle: Bundle;
}

/**
 * Verifies the deployment from inside the cluster on a schedule: all hosts that a client can reach, through the gateway, by the same names.
 * The job has no credentials of the Kubernetes API or of the database's administrator: `npx gatehouse verify` runs the checks that need them.
 */
export class Verification extends pulumi.ComponentResource {
  /** Namespace of the job, and of the Secret with its account. */
  readonly namespace: k8s.core.v1.Namespace;

  constructor(name: string, args: VerificationArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:verification:Verification", name, {}, opts);
    const { verification, settings, cluster } = args;
    const child = { parent: this, provider: cluster.provider };
    this.namespace = cluster.namespace(verification.namespace, this);
    const namespace = this.namespace.metadata.name;
    const labels = labelsOf(APP);
    const metadata = { name: APP, namespace, labels };
    const files = { ...args.bundle, "target.json.gz": targetFile(args) };
    const configMap = new k8s.core.v1.ConfigMap(
      `${name}-files`,
      {
        // Autonamed: a new plan is another object, and a revert does not get the name of one that is still to be deleted.
        metadata: { namespace, labels },
        immutable: true,
        binaryData: Object.fromEntries(Object.entries(files).map(([key, file]) => [key, file.toString("base64")])),
      },
      child,
    );
    const account = new k8s.core.v1.ServiceAccount(
      `${name}-account`,
      { metadata, automountServiceAccountToken: false },
      child,
    );
    const network = new k8s.networking.v1.NetworkPolicy(
      `${name}-network`,
      { metadata, spec: allowEgressToGateway(labels, gatewayPods(settings.gateway), portsOf(args)) },
      child,
    );
    new k8s.batch.v1.CronJob(
      `${name}-job`,
      {
        metadata,
        spec: {
          schedule: verification.schedule,
          // A late run is useful; a run next to another one is not.
          concurrencyPolicy: "Forbid",
          startingDeadlineSeconds: 300,
          successfulJobsHistoryLimit: 1,
          failedJobsHistoryLimit: 3,
          jobTemplate: {
            metadata: { labels },
            spec: {
              // A failure is reported at once: a retry could pass by chance.
              backoffLimit: 0,
              activeDeadlineSeconds: DEADLINE,
              template: {
                metadata: { labels },
                spec: podSpec(verification, configMap.metadata.name, account.metadata.name),
              },
            },
          },
        },
      },
      { ...child, dependsOn: network },
    );
    this.registerOutputs({});
  }
}

/** Returns the plan and the groups of the job's account, compressed: it fits into a ConfigMap with 1,000 services. */
function targetFile({ settings, plan, verification }: VerificationArgs): Buffer {
  const account = settings.identityProvider.serviceAccounts.find(({ name }) => name === verification.account);
  const target: JobTarget = { ...outsideTarget(settings, plan), groups: account?.groups ?? [] };
  return gzipSync(JSON.stringify(target));
}

/** Returns the ports of the hosts of the plan, including HTTP, of the identity provider, and of the Pushgateway. */
function portsOf({ plan, verification: { pushgateway } }: VerificationArgs): number[] {
  const urls = [...plan.exposures.map(({ url }) => url), plan.identityProviderUrl, pushgateway];
  const ports = urls
    .flatMap((url) => (url === undefined ? [] : [URL.parse(url)]))
    .map((url) => Number(url?.port || (url?.protocol === "https:" ? 443 : 80)));
  return [...new Set([80, ...ports])].sort((a, b) => a - b);
}

function podSpec(
  { account, pushgateway }: VerificationSettings,
  configMap: pulumi.Input<string>,
  serviceAccountName: pulumi.Input<string>,
): k8s.types.input.core.v1.PodSpec {
  return {
    ...restrictedPod,
    serviceAccountName,
    restartPolicy: "Never",
    containers: [
      {
        name: APP,
        image: pinned(IMAGES.node),
        // What prom-client does with addresses is deprecated (url.parse), and a log of JSON has no room for that.
        command: ["node", "--disable-warning=DEP0169", `${FOLDER}/start.mjs`],
        env: [
          { name: "TARGET", value: `${FOLDER}/target.json.gz` },
          ...(pushgateway === undefined ? [] : [{ name: "PUSHGATEWAY", value: pushgateway }]),
        ],
        ...(account !== undefined && { envFrom: [{ secretRef: { name: `${account}-account` } }] }),
        resources: resources("50m", "96Mi", "256Mi"),
        ...containerDefaults,
        volumeMounts: [
          { name: "files", mountPath: FOLDER, readOnly: true },
          { name: "tmp", mountPath: "/tmp" },
        ],
      },
    ],
    volumes: [
      { name: "files", configMap: { name: configMap } },
      { name: "tmp", emptyDir: {} },
    ],
  };
}
