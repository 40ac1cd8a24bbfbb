import { createHash } from "node:crypto";
import { stringify } from "yaml";

/** Where the worker finds the stack's blueprints (authentik docs, "Blueprints", storage: file). */
export const BLUEPRINTS_FOLDER = "/blueprints/gatehouse";
const FILE = "settings.yaml";
/** The login stages of authentik's default flows: of a password, and of a source (SAML, another OpenID provider), also the first time. */
const LOGIN_STAGES = [
  "default-authentication-login",
  "default-source-authentication-login",
  "default-source-enrollment-login",
];

/** A blueprint file of the worker. */
export interface BlueprintFile {
  /** Name in {@link BLUEPRINTS_FOLDER}. */
  readonly name: string;
  /** Path as authentik lists it: below its folder of blueprints. */
  readonly path: string;
  readonly content: string;
  /** SHA-512 of the content, as authentik records it once it has applied the file. */
  readonly hash: string;
}

/**
 * Returns the settings of objects that authentik itself creates, as a blueprint: as resources of the stack they would be deleted by destroy. A file,
 * because the server never applies a blueprint that is created over its API (measured, docs/authentik.md).
 * @param session length of a session at authentik, e.g. `hours=12`
 */
export function serverSettings(session: string): BlueprintFile {
  const name = "gatehouse-settings";
  // While the user has a session at authentik, it renews the session of a service without a login: this is the effective length. No default
  // blueprint sets the field, so the order in which they are applied does not matter.
  const entries = LOGIN_STAGES.map((stage) => ({
    model: "authentik_stages_user_login.userloginstage",
    identifiers: { name: stage },
    attrs: { session_duration: session },
  }));
  const content = stringify({ version: 1, metadata: { name }, entries });
  const hash = createHash("sha512").update(content).digest("hex");
  return { name: FILE, path: `gatehouse/${FILE}`, content, hash };
}
