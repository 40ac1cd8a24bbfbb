import * as authentik from "#authentik";
import * as pulumi from "@pulumi/pulumi";
import type { Group } from "./groups.ts";

const OAUTH2_MAPPINGS = ["openid", "email", "profile"].map(managedScope);
/** The mappings that authentik 2026.5 adds to every proxy provider: with a list that lacks one, every deployment shows a change. */
const PROXY_MAPPINGS = [...OAUTH2_MAPPINGS, managedScope("entitlements"), "goauthentik.io/providers/proxy/scope-proxy"];
const AUTHORIZATION_FLOW = "default-provider-authorization-implicit-consent";
// default-provider-invalidation-flow leaves the user signed in at authentik.
const INVALIDATION_FLOW = "default-invalidation-flow";

/** A value that a preview does not know. */
const UNKNOWN = pulumi.unknown as unknown as string;

/** Everything that authentik creates itself and {@link lookUpDefaults} may look up. */
export const LOOKED_UP = {
  flows: [AUTHORIZATION_FLOW, INVALIDATION_FLOW],
  /** By their managed names; services may request the last two (`scopes`). */
  mappings: [...PROXY_MAPPINGS, managedScope("offline_access"), managedScope("authentik_api")],
  keyPair: "authentik Self-signed Certificate",
};

interface GroupUse {
  /** Whether the deployment creates it if it does not exist. */
  readonly created: boolean;
  /** Whether service accounts or sample users are its members. */
  readonly hasMembers: boolean;
}

/** Objects of a new authentik that providers refer to, looked up by their managed names. */
export interface Defaults {
  readonly authorizationFlow: pulumi.Output<string>;
  readonly invalidationFlow: pulumi.Output<string>;
  readonly proxyMappings: pulumi.Output<string[]>;
  readonly oauth2Mappings: pulumi.Output<string[]>;
  /** The mapping of one more scope, by its name. */
  readonly scopeMapping: (scope: string) => pulumi.Output<string>;
  /** Returns the id of a group. In a preview, that of one which the deployment would create is unknown. */
  readonly group: (group: string, use: GroupUse) => pulumi.Output<string>;
  readonly signingKey: pulumi.Output<string>;
}

/**
 * Looks the defaults up, once authentik answers. In a first preview they are unknown.
 * @param provider every lookup waits for its url, since the engine answers one whose provider it cannot reach yet with nothing, as if what
 *   is looked for were missing
 * @param findGroup returns a group, undefined if there is none; the lookup of the Terraform provider logs an error then, so that the preview of
 *   a new group would end with "1 errored" (measured)
 * @throws (in the engine) when one is missing: a lookup that authentik answers with 404 succeeds, without an id
 */
export function lookUpDefaults(
  provider: authentik.Provider,
  findGroup: (url: pulumi.Output<string>, name: string) => pulumi.Output<Group | undefined>,
): Defaults {
  const options = { provider };
  // Of the provider, not of its arguments: else each object in authentik would list in the state all that the address depends on.
  const { url } = provider;
  const reachable = <T>(value: T): pulumi.Output<T> => url.apply<T>(() => value);
  const flow = (slug: string): pulumi.Output<string> =>
    found(`flow "${slug}"`, authentik.getFlowOutput({ slug: reachable(slug) }, options).id);
  // authentik refuses a managed name that no mapping has (400), and leaves out the mappings that the token may not view.
  const mappings = (managedLists: string[]): pulumi.Output<string[]> =>
    authentik
      .getPropertyMappingProviderScopeOutput({ managedLists: reachable(managedLists) }, options)
      .ids.apply((ids) => {
        if (ids?.length !== managedLists.length) {
          throw new pulumi.RunError(
            `authentik shows ${ids?.length ?? 0} of the ${managedLists.length} default scope mappings; check the rights of identity_provider.token, or apply the blueprints of authentik (Customization > Blueprints)`,
          );
        }
        return ids;
      });
  return {
    authorizationFlow: flow(AUTHORIZATION_FLOW),
    invalidationFlow: flow(INVALIDATION_FLOW),
    proxyMappings: mappings(PROXY_MAPPINGS),
    oauth2Mappings: mappings(OAUTH2_MAPPINGS),
    scopeMapping: (scope) =>
      found(
        `mapping of scope "${scope}"`,
        authentik.getPropertyMappingProviderScopeOutput({ scopeName: reachable(scope) }, options).id,
      ),
    group: (group, { created, hasMembers }) => {
      const isCreatedLater = created && pulumi.runtime.isDryRun();
      const id = findGroup(url, group).apply((known) => {
        if (known?.superusers === true && hasMembers) throw new pulumi.RunError(superusers(group));
        return known?.id ?? (isCreatedLater ? UNKNOWN : undefined);
      });
      return found(`group "${group}"`, id);
    },
    signingKey: found(
      "key pair",
      // Without `fetchKey: false`, the provider reads the private key, and the state contains it in plain text.
      authentik.getCertificateKeyPairOutput({ name: reachable(LOOKED_UP.keyPair), fetchKey: false }, options).id,
    ),
  };
}

function managedScope(scope: string): string {
  return `goauthentik.io/providers/oauth2/scope-${scope}`;
}

function found(what: string, id: pulumi.Output<string | undefined> | undefined): pulumi.Output<string> {
  return pulumi.output(id).apply((known) => {
    if (known === undefined || known === "") {
      throw new pulumi.RunError(absent(what));
    }
    return known;
  });
}

/** The groups that authentik creates by itself are refused by name (config/sections/identityProvider/identityProviderRules.ts). */
function superusers(group: string): string {
  return `the members of group "${group}" are superusers of authentik, and identity_provider gives it to a service account or a sample user; name another group there, or end its superuser status in authentik`;
}

function absent(what: string): string {
  return `authentik has no ${what}, or refused to show it; correct its name in the stack file, or create it, and check the rights of identity_provider.token`;
}
