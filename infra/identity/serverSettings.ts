import * as authentik from "@pulumi/authentik";
import * as pulumi from "@pulumi/pulumi";
import { stringify } from "yaml";

export interface ServerSettingsArgs {
  /** Origin of authentik as browsers see it. */
  readonly browserUrl: string;
  /** Length of a session in authentik's spelling. */
  readonly session: string;
}

/**
 * What authentik brings along and has to be set: by a blueprint, because owning these objects as resources would mean that destroy
 * deletes them (authentik/README 4.3). Only for an authentik that the stack installs.
 */
export class ServerSettings extends pulumi.ComponentResource {
  constructor(name: string, args: ServerSettingsArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:ServerSettings", name, {}, opts);
    new authentik.Blueprint(
      `${name}-blueprint`,
      { name: "gatehouse-settings", content: blueprint(args), enabled: true },
      { parent: this },
    );
    this.registerOutputs({});
  }
}

function blueprint({ browserUrl, session }: ServerSettingsArgs): string {
  const entries = [
    // Empty after an unattended install, which sends browsers to localhost.
    {
      model: "authentik_outposts.outpost",
      identifiers: { managed: "goauthentik.io/outposts/embedded" },
      attrs: { config: { authentik_host: browserUrl } },
    },
    // As long as authentik knows the user, a service's own session is renewed without a word: this is the real length.
    {
      model: "authentik_stages_user_login.userloginstage",
      identifiers: { name: "default-authentication-login" },
      attrs: { session_duration: session },
    },
  ];
  return stringify({ version: 1, metadata: { name: "gatehouse-settings" }, entries });
}
