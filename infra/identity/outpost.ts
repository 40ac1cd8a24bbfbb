import * as authentik from "@pulumi/authentik";
import * as pulumi from "@pulumi/pulumi";
import type { ProxyApplication } from "./application.ts";

export interface EmbeddedOutpostArgs {
  /** UUID of the embedded outpost. */
  readonly outpost: pulumi.Output<string>;
  /** Origin of authentik as browsers see it. */
  readonly browserUrl: string;
  /** What the outpost serves, one provider each. */
  readonly applications: readonly ProxyApplication[];
}

/** The embedded outpost: where it sends browsers, and the providers that it serves. */
export class EmbeddedOutpost extends pulumi.ComponentResource {
  constructor(name: string, args: EmbeddedOutpostArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:EmbeddedOutpost", name, {}, opts);
    // Empty after an unattended install, which sends browsers to localhost. A blueprint, because owning the outpost as a resource
    // would mean that destroy deletes it (authentik/README 4.3).
    new authentik.Blueprint(
      `${name}-host`,
      { name: "gatehouse-outpost-host", content: hostBlueprint(args.browserUrl), enabled: true },
      { parent: this },
    );
    this.#attach(name, args);
    this.registerOutputs({});
  }

  /** Attaches the providers one after the other: in parallel, attachments lose each other's updates (authentik/traffic.md 3). */
  #attach(name: string, args: EmbeddedOutpostArgs): void {
    let previous: pulumi.Resource[] = [];
    for (const application of args.applications) {
      const exposure = application.exposureId;
      const attachment = new authentik.OutpostProviderAttachment(
        `${name}-${exposure}`,
        { outpost: args.outpost, protocolProvider: application.providerId },
        // An outpost serves no provider without an application, so it waits for both.
        { parent: this, dependsOn: [application, ...previous], deleteBeforeReplace: true },
      );
      previous = [attachment];
    }
  }
}

function hostBlueprint(browserUrl: string): string {
  return `version: 1
metadata:
  name: gatehouse-outpost-host
entries:
  - model: authentik_outposts.outpost
    identifiers:
      managed: goauthentik.io/outposts/embedded
    attrs:
      config:
        authentik_host: ${browserUrl}
`;
}
