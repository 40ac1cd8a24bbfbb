import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Authentik } from "../identity/authentik.ts";
import { IDENTITY_HEADERS, identityHeaderSpellings } from "../identity/headers.ts";

export const TRAEFIK_API = "traefik.io/v1alpha1";
export const STRIP = "gatehouse-strip";
export const FORWARD_AUTH = "gatehouse-forward-auth";

export interface MiddlewaresArgs {
  /** Middlewares live beside the routes that use them; crossing namespaces stays forbidden (field.md 3.2). */
  readonly namespace: string;
  readonly authentik: Authentik;
}

/** The middlewares that every route of one namespace shares. */
export class Middlewares extends pulumi.ComponentResource {
  /** Drops every identity header a client may forge; first in every chain, protected or open. */
  readonly strip: k8s.apiextensions.CustomResource;
  /** Asks the identity provider, and sets the identity headers from its answer. */
  readonly forwardAuth: k8s.apiextensions.CustomResource;

  constructor(name: string, args: MiddlewaresArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:gateway:Middlewares", name, {}, opts);
    const middleware = (role: string, spec: Record<string, unknown>): k8s.apiextensions.CustomResource =>
      new k8s.apiextensions.CustomResource(
        `${name}-${role}`,
        {
          apiVersion: TRAEFIK_API,
          kind: "Middleware",
          metadata: { name: `gatehouse-${role}`, namespace: args.namespace },
          spec,
        },
        { parent: this },
      );
    this.strip = middleware("strip", stripSpec());
    this.forwardAuth = middleware("forward-auth", forwardAuthSpec(args.authentik.clusterUrl));
    this.registerOutputs({});
  }
}

/** Traefik removes a header that is set to the empty string. */
function stripSpec(): Record<string, unknown> {
  return {
    headers: { customRequestHeaders: Object.fromEntries(identityHeaderSpellings().map((header) => [header, ""])) },
  };
}

function forwardAuthSpec(clusterUrl: pulumi.Output<string>): Record<string, unknown> {
  return {
    forwardAuth: {
      address: pulumi.interpolate`${clusterUrl}/outpost.goauthentik.io/auth/traefik`,
      // Explicit, since its meaning moved: the gateway computes X-Forwarded-* itself and believes no client's.
      trustForwardHeader: false,
      // A name that is not listed here passes from the client to the application untouched.
      authResponseHeaders: [...IDENTITY_HEADERS],
      // An allowlist keeps RFC 7239 `Forwarded` and aliases away from the identity provider (traefik #12657).
      authRequestHeaders: ["Cookie", "Authorization", "Accept", "User-Agent", "X-Requested-With"],
      maxResponseBodySize: 1_048_576,
    },
  };
}
