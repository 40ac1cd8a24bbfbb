import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Settings } from "../config/settings.ts";

/** The provider never falls back to the current context. */
type ClusterArgs = Pick<Settings, "cluster" | "context"> & {
  /** UID of the cluster that answered, which the state keeps: the next deployment refuses another one. */
  readonly uid: string | undefined;
};

/** The cluster of the stack, and the namespaces that Gatehouse owns in it. */
export class Cluster extends pulumi.ComponentResource {
  /** What every Kubernetes resource of the program must use. */
  readonly provider: k8s.Provider;
  /** Name of the kubeconfig context. */
  readonly context: string;

  constructor(name: string, args: ClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:infra:Cluster", name, {}, opts);
    if (args.context === undefined) {
      throw new pulumi.InputPropertyError({
        propertyPath: "context",
        reason: "no cluster is named; run: pulumi config set kubernetes:context NAME",
      });
    }
    this.context = args.context;
    this.provider = new k8s.Provider(
      name,
      // Moving a stack to another cluster must replace, not update, what is deployed; another name of the same cluster must not.
      {
        context: args.context,
        clusterIdentifier: args.cluster.contexts[0] ?? args.context,
        // Empty, so that the plugin itself reads KUBECONFIG, as kubectl does. Left out, the SDK sets it to the text of KUBECONFIG: then a run
        // on another machine shows a change, several files are one that does not exist, and the plugin leaves a copy of the credentials in
        // the folder for temporary files (measured with pulumi-kubernetes 4.34.2).
        kubeconfig: "",
        enableServerSideApply: true,
      },
      { parent: this },
    );
    this.registerOutputs({ uid: args.uid ?? args.cluster.uid });
  }

  /**
   * A namespace that enforces the restricted Pod Security Standard (Kubernetes docs, "Pod Security Standards").
   * @param namespace Kubernetes name, also the logical name
   */
  namespace(
    namespace: string,
    parent: pulumi.Resource,
    opts: pulumi.CustomResourceOptions = {},
  ): k8s.core.v1.Namespace {
    const labels = { "pod-security.kubernetes.io/enforce": "restricted", "app.kubernetes.io/managed-by": "gatehouse" };
    return new k8s.core.v1.Namespace(
      namespace,
      { metadata: { name: namespace, labels } },
      { parent, provider: this.provider, ...opts },
    );
  }
}
