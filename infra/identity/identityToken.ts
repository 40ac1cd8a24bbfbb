import * as authentik from "#authentik";
import * as pulumi from "@pulumi/pulumi";
import type { Defaults } from "./defaults.ts";
import { headersExpression, IDENTITY_SCOPE, INHERITED_GROUPS_EXPRESSION, INHERITED_GROUPS_SCOPE } from "./headers.ts";

interface IdentityTokenArgs {
  readonly defaults: Defaults;
  /** Origin of the identity provider as browsers see it. */
  readonly issuer: string;
  /** Name and slug of the provider; stacks that share an authentik each have their own. */
  readonly slug: string;
}

/** The scope mappings of the identity headers, and the RS256 provider whose key signs `X-idp-jwt`. */
export class IdentityToken extends pulumi.ComponentResource {
  /** Id of the scope mapping that every proxy provider lists. */
  readonly mapping: pulumi.Output<string>;
  readonly jwksUrl: pulumi.Output<string>;

  constructor(name: string, args: IdentityTokenArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:IdentityToken", name, {}, opts);
    const child = { parent: this };
    const { authorizationFlow, invalidationFlow, oauth2Mappings, signingKey } = args.defaults;
    const inheritedGroups = new authentik.PropertyMappingProviderScope(
      `${name}-groups`,
      {
        name: `Gatehouse inherited groups (${args.slug})`,
        scopeName: INHERITED_GROUPS_SCOPE,
        description: "Inherited groups of X-idp-jwt",
        expression: INHERITED_GROUPS_EXPRESSION,
      },
      child,
    );
    const signer = new authentik.ProviderOauth2(
      `${name}-signer`,
      {
        name: args.slug,
        clientId: args.slug,
        clientType: "confidential",
        authorizationFlow,
        invalidationFlow,
        propertyMappings: pulumi.all([oauth2Mappings, inheritedGroups.id]).apply(([three, ours]) => [...three, ours]),
        signingKey,
        // No user signs in here. Without a redirect URI, authentik accepts and stores the first one that a client requests
        // (docs/authentik.md); a name below .invalid has no owner (RFC 6761).
        allowedRedirectUris: [
          { matching_mode: "strict", url: `https://${args.slug}.invalid/`, redirect_uri_type: "authorization" },
        ],
      },
      child,
    );
    const application = new authentik.Application(
      `${name}-application`,
      {
        name: "Identity header tokens",
        slug: args.slug,
        protocolProvider: signer.id.apply(Number),
        metaLaunchUrl: "blank://blank",
      },
      child,
    );
    // Also refuses tokens (client_credentials). `ak_create_jwt` evaluates no policy.
    const denyAll = new authentik.PolicyExpression(
      `${name}-policy`,
      { name: `${args.slug}-deny-all`, expression: "return False" },
      child,
    );
    new authentik.PolicyBinding(`${name}-binding`, { target: application.uuid, policy: denyAll.id, order: 0 }, child);
    const mapping = new authentik.PropertyMappingProviderScope(
      `${name}-mapping`,
      {
        name: `Gatehouse identity headers (${args.slug})`,
        scopeName: IDENTITY_SCOPE,
        description: "X-idp-* headers",
        expression: headersExpression(args.slug),
      },
      // An expression that names a provider which is not there yet would leave the headers out.
      { ...child, dependsOn: [application] },
    );

    this.mapping = mapping.id;
    this.jwksUrl = pulumi.interpolate`${args.issuer}/application/o/${application.slug}/jwks/`;
    this.registerOutputs({ jwksUrl: this.jwksUrl });
  }
}
