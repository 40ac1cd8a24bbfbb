import * as authentik from "@pulumi/authentik";
import * as pulumi from "@pulumi/pulumi";

const OAUTH2_MAPPINGS = ["openid", "email", "profile"].map((scope) => `goauthentik.io/providers/oauth2/scope-${scope}`);
/** The five that authentik adds to every proxy provider; a list that leaves one out never settles (authentik/README 4.3). */
const PROXY_MAPPINGS = [
  ...OAUTH2_MAPPINGS,
  "goauthentik.io/providers/oauth2/scope-entitlements",
  "goauthentik.io/providers/proxy/scope-proxy",
];

/** Made at authentik's first start. */
const SIGNING_KEY = "authentik Self-signed Certificate";

/** What authentik brings along and providers refer to, looked up by its managed names. */
export interface Defaults {
  readonly authorizationFlow: pulumi.Output<string>;
  readonly invalidationFlow: pulumi.Output<string>;
  readonly proxyMappings: pulumi.Output<string[]>;
  readonly oauth2Mappings: pulumi.Output<string[]>;
  readonly signingKey: pulumi.Output<string>;
  readonly embeddedOutpost: pulumi.Output<string>;
}

/**
 * Looks the defaults up. Unknown in a first preview, when the provider's url is.
 * @throws (in the engine) when one is missing: a lookup answered 404 looks like success (authentik/traffic.md 4.2)
 */
export function lookUpDefaults(provider: authentik.Provider): Defaults {
  const options = { provider };
  const flow = (slug: string): pulumi.Output<string> =>
    found(`flow "${slug}"`, authentik.getFlowOutput({ slug }, options).id);
  const mappings = (managedLists: string[]): pulumi.Output<string[]> =>
    authentik.getPropertyMappingProviderScopeOutput({ managedLists }, options).ids.apply((ids) => {
      if (ids?.length !== managedLists.length) {
        throw new pulumi.RunError(
          `authentik has ${ids?.length ?? 0} of the ${managedLists.length} default scope mappings; wait for its blueprints, or restore them under System > Blueprints`,
        );
      }
      return ids;
    });
  return {
    authorizationFlow: flow("default-provider-authorization-implicit-consent"),
    invalidationFlow: flow("default-provider-invalidation-flow"),
    proxyMappings: mappings(PROXY_MAPPINGS),
    oauth2Mappings: mappings(OAUTH2_MAPPINGS),
    signingKey: found(
      "key pair",
      // Without fetchKey: false the private key would be written to the state in clear (authentik/traffic.md 2).
      authentik.getCertificateKeyPairOutput({ name: SIGNING_KEY, fetchKey: false }, options).id,
    ),
    embeddedOutpost: found("embedded outpost", authentik.getOutpostOutput({ name: "authentik Embedded Outpost" }, options).id),
  };
}

function found(what: string, id: pulumi.Output<string | undefined> | undefined): pulumi.Output<string> {
  return pulumi.output(id).apply((known) => {
    if (known === undefined || known === "") {
      throw new pulumi.RunError(
        `authentik has no ${what}; check that identity_provider.api_url leads to authentik itself and not below a path`,
      );
    }
    return known;
  });
}
