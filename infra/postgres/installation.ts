import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { PostgresInstallation, PostgresServer } from "../../config/settings.ts";
import type { Cluster } from "../cluster.ts";
import { clusterIp } from "../clusterIp.ts";
import { withoutAwait } from "../pods.ts";
import { resolveSecret } from "../secrets.ts";
import type { Servers } from "../servers.ts";
import { balancedNetworks, policyOf } from "./networkPolicy.ts";
import { type PostgresConnection, installed } from "./connection.ts";
import { deployCloudNativePg } from "./cloudNativePg.ts";
import { NAME, PORT } from "./objects.ts";
import { deployStatefulSet } from "./statefulSet.ts";
import { tlsOptions } from "./tls.ts";
import type { Workload } from "./workload.ts";

interface InstallationArgs {
  readonly server: PostgresServer;
  readonly install: PostgresInstallation;
  readonly cluster: Cluster;
  /** Namespaces of the stack whose pods connect. */
  readonly clients: readonly string[];
  readonly servers: Servers;
}

/** A Postgres server in the cluster, with its data. */
export class Installation extends pulumi.ComponentResource {
  readonly access: PostgresConnection;
  /** The server's host as the deploying machine sees it, once it answers; unknown until it was deployed. */
  readonly host: pulumi.Output<string>;
  /** Resources that connections to the server need. */
  readonly connection: readonly pulumi.Resource[];

  constructor(name: string, args: InstallationArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:infra:PostgresInstallation", name, {}, opts);
    const { server, install, cluster, clients } = args;
    const child = { parent: this, provider: cluster.provider };
    const kept = { ...child, protect: install.protect };
    const space = cluster.namespace(install.namespace, this, { protect: install.protect });
    const namespace = space.metadata.name;
    const superuser = `${NAME}-superuser`;
    const credentials = new k8s.core.v1.Secret(
      `${name}-superuser`,
      {
        // CloudNativePG follows a changed password where it sees this label.
        metadata: { name: superuser, namespace, labels: { "cnpg.io/reload": "true" } },
        type: "kubernetes.io/basic-auth",
        stringData: { username: server.user, password: resolveSecret(server.password) },
      },
      child,
    );
    // Before its pods and addresses: until the policy exists, every pod can connect, and a load balancer lets every address connect.
    const network = new k8s.networking.v1.NetworkPolicy(
      `${name}-network`,
      { metadata: { name: NAME, namespace }, spec: policyOf(install, clients) },
      child,
    );
    const withData = { ...kept, dependsOn: [network, credentials] };
    const deploy = install.kind === "statefulset" ? deployStatefulSet : deployCloudNativePg;
    const workload = deploy({ name, install, namespace, superuser, child, kept: withData });
    const service = new k8s.core.v1.Service(
      `${name}-service`,
      {
        metadata: { name: NAME, namespace, annotations: withoutAwait },
        spec: { ...serviceOf(install, server.port), selector: workload.primary },
      },
      { ...child, dependsOn: network },
    );
    const { primary = clusterIp(service), replicas } = workload.hosts ?? {};
    this.access = installed(server, install, primary, replicas);
    this.connection = [workload.ready, service, network];
    this.host = hostOf(args, service, workload);
    this.registerOutputs({ host: this.host });
  }
}

/** Returns the spec of a Service for pods, or, with another port, for the deploying machine. */
function serviceOf(install: PostgresInstallation, port: number): k8s.types.input.core.v1.ServiceSpec {
  const { service: type } = install;
  const own = { name: NAME, port: PORT, targetPort: PORT };
  const ports = port === PORT ? [own] : [own, { ...own, name: "deployer", port }];
  if (type === "ClusterIP") return { type, ports };
  return { type, ports, loadBalancerSourceRanges: [...balancedNetworks(install)] };
}

function hostOf(
  { server, install, cluster, servers }: InstallationArgs,
  service: k8s.core.v1.Service,
  { ready }: Workload,
): pulumi.Output<string> {
  const forward = `kubectl --context ${cluster.context} --namespace ${install.namespace} port-forward service/${NAME} ${server.port}:${PORT}`;
  const hint = `set its address in postgres.install.host and port, or forward a port: ${forward}`;
  const answered = pulumi
    .all([service.spec.clusterIP, resolveSecret(server.password), ready.id])
    .apply(async ([clusterIP, password]) => {
      const host = server.host ?? clusterIP;
      const { port, user } = server;
      if (!pulumi.runtime.isDryRun()) {
        const address = { host, port, user, password, ssl: tlsOptions(server, host) };
        await servers.waitUntilAnswers({ ...address, followsSecret: install.kind === "cloudnativepg" }, hint);
      }
      return host;
    });
  // Secret only because the wait uses the password; the address is not secret.
  return pulumi.unsecret(answered);
}
