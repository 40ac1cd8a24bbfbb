import * as authentik from "#authentik";
import * as pulumi from "@pulumi/pulumi";
import { registerBound } from "./application.ts";
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
    const inheritedGroups = inheritedGroupsMapping(name, args.slug, child);
    const signer = signingProvider(name, args, inheritedGroups.id, child);
    const [application] = registerBound(
      name,
      {
        name: "Identity header tokens",
        slug: args.slug,
        protocolProvider: signer.id.apply(Number),
        metaLaunchUrl: "blank://blank",
      },
      policyThatDenies(name, args.slug, child),
      child,
    );
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

/** Creates the mapping that adds inherited groups to `X-idp-jwt`. */
function inheritedGroupsMapping(name: string, slug: string, child: pulumi.CustomResourceOptions) {
  return new authentik.PropertyMappingProviderScope(
    `${name}-groups`,
    {
      name: `Gatehouse inherited groups (${slug})`,
      scopeName: INHERITED_GROUPS_SCOPE,
      description: "Inherited groups of X-idp-jwt",
      expression: INHERITED_GROUPS_EXPRESSION,
    },
    child,
  );
}

/** Creates the provider whose key signs `X-idp-jwt`. @param inheritedGroups id of its scope mapping */
function signingProvider(
  name: string,
  { defaults, slug }: IdentityTokenArgs,
  inheritedGroups: pulumi.Output<string>,
  child: pulumi.CustomResourceOptions,
) {
  const { authorizationFlow, invalidationFlow, oauth2Mappings, signingKey } = defaults;
  return new authentik.ProviderOauth2(
    `${name}-signer`,
    {
      name: slug,
      clientId: slug,
      clientType: "confidential",
      authorizationFlow,
      invalidationFlow,
      propertyMappings: pulumi.all([oauth2Mappings, inheritedGroups]).apply(([three, ours]) => [...three, ours]),
      signingKey,
      // No user signs in here. Without a redirect URI, authentik accepts and stores the first one that a client requests
      // (docs/authentik.md); a name below .invalid has no owner (RFC 6761).
      allowedRedirectUris: [
        { matching_mode: "strict", url: `https://${slug}.invalid/`, redirect_uri_type: "authorization" },
      ],
    },
    child,
  );
}

/** Creates a policy that denies every user, also for tokens (client_credentials). `ak_create_jwt` evaluates no policy. */
function policyThatDenies(name: string, slug: string, child: pulumi.CustomResourceOptions): authentik.PolicyExpression {
  return new authentik.PolicyExpression(
    `${name}-policy`,
    { name: `${slug}-deny-all`, expression: "return False" },
    child,
  );
}
