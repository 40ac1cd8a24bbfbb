import * as authentik from "#authentik";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { ServiceAccount } from "../../config/settings.ts";
import { isAllowed } from "../../protections/allowedUsers.ts";
import type { Cluster } from "../cluster.ts";
import type { GroupAccess } from "./groupAccess.ts";
import { IDENTITY_SCOPE } from "./headers.ts";
import type { ProxyProvider } from "./proxyProvider.ts";

interface MachineArgs {
  readonly account: ServiceAccount;
  readonly access: GroupAccess;
  readonly cluster: Cluster;
  /** Resources that the Secret depends on. */
  readonly namespaces: readonly k8s.core.v1.Namespace[];
  /** What the account may call, each behind forward auth. */
  readonly providers: readonly ProxyProvider[];
  /** Origin of the identity provider as browsers see it. */
  readonly issuer: string;
}

/**
 * A machine user: a service account with an app password, and a Secret where the machine runs. The machine trades the password for a
 * token of the one application that it calls, so that no application ever sees the password (docs/applications.md, "Machines").
 */
export class Machine extends pulumi.ComponentResource {
  constructor(name: string, args: MachineArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Machine", name, {}, opts);
    const { account, access } = args;
    const user = new authentik.User(
      `${name}-user`,
      {
        username: account.name,
        name: account.name,
        type: "service_account",
        groups: access.groupIds(account.groups),
      },
      { parent: this },
    );
    const password = new authentik.Token(
      `${name}-password`,
      {
        identifier: `gatehouse-${account.name}`,
        user: user.id.apply(Number),
        intent: "app_password",
        expiring: false,
        retrieveKey: true,
      },
      { parent: this },
    );
    const callable = args.providers.filter(({ exposure }) => isAllowed(exposure, account.groups));
    const clients = callable.map(({ exposure, clientId }) => clientId.apply((id) => [exposure.url, id] as const));
    new k8s.core.v1.Secret(
      `${name}-secret`,
      {
        metadata: { name: `${account.name}-account`, namespace: account.namespace },
        stringData: {
          USERNAME: account.name,
          PASSWORD: password.key,
          TOKEN_URL: `${args.issuer}/application/o/token/`,
          // A token with fewer scopes is accepted, but sets no identity headers.
          SCOPE: `openid email profile ak_proxy ${IDENTITY_SCOPE}`,
          CLIENT_IDS: pulumi.all(clients).apply((pairs) => JSON.stringify(Object.fromEntries(pairs))),
        },
      },
      // A changed Secret is deleted first, and no application uses it before each of those exists.
      {
        parent: this,
        provider: args.cluster.provider,
        dependsOn: [...args.namespaces, ...callable.flatMap(({ application }) => application)],
      },
    );
    this.registerOutputs({});
  }
}
