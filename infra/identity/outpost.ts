import * as authentik from "@pulumi/authentik";
import * as pulumi from "@pulumi/pulumi";
import type { Nobody } from "./nobody.ts";
import type { ProxyProvider } from "./proxyProvider.ts";

export interface EmbeddedOutpostArgs {
  /** UUID of the embedded outpost. */
  readonly outpost: pulumi.Output<string>;
  /** What the outpost serves besides. */
  readonly nobody: Nobody;
  readonly providers: readonly ProxyProvider[];
  /** Whether there are other outposts, to which a provider may move. */
  readonly moves: boolean;
}

/**
 * The providers that the embedded outpost serves. Attached one after the other: in parallel, attachments lose each other's updates
 * (authentik/traffic.md 3). So do removals, which the server makes up for where the provider goes, too, but not where it moves; and of what it
 * removes, the engine only orders what depends on each other directly. Hence each depends on all earlier ones there; outposts are small
 * where providers move. The outpost is not owned as a resource, since destroy would delete it, and others may use it, too.
 */
export class EmbeddedOutpost extends pulumi.ComponentResource {
  constructor(name: string, args: EmbeddedOutpostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:EmbeddedOutpost", name, {}, opts);
    const attach = (as: string, provider: Nobody | ProxyProvider, earlier: readonly pulumi.Resource[]) =>
      new authentik.OutpostProviderAttachment(
        `${name}-${as}`,
        { outpost: args.outpost, protocolProvider: provider.providerId },
        // An outpost serves no provider without an application, so it waits for both.
        { parent: this, dependsOn: [provider, ...earlier], deleteBeforeReplace: true },
      );
    let earlier = [attach("nobody", args.nobody, [])];
    for (const provider of args.providers) {
      const attachment = attach(provider.exposure.id, provider, earlier);
      earlier = args.moves ? [...earlier, attachment] : [attachment];
    }
    this.registerOutputs({});
  }
}
