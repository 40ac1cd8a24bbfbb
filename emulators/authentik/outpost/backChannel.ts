import { request } from "undici";
import jwt from "jsonwebtoken";
import { log } from "../log.ts";
import type { Fields } from "../objects.ts";
import { claimsOf } from "./claims.ts";
import type { Claims } from "./claims.ts";
import type { Configuration, Endpoints } from "./configuration.ts";

/** Sends a form to one of authentik's endpoints: the address to connect to, and the origin in the Host header (empty = the same). */
export type Send = (address: string, origin: string, form: Record<string, string>) => Promise<Fields | undefined>;

/** An outpost's requests to authentik for one provider: codes, passwords and bearer tokens become claims. */
export class BackChannel {
  readonly #configuration: Configuration;
  readonly #endpoints: Endpoints;
  readonly #send: Send;

  constructor(configuration: Configuration, endpoints: Endpoints, send: Send) {
    this.#configuration = configuration;
    this.#endpoints = endpoints;
    this.#send = send;
  }

  /** Claims for a code. Undefined = refused. */
  async redeem(code: string, redirect_uri: string): Promise<Claims | undefined> {
    const { client_secret } = this.#configuration;
    const form = { grant_type: "authorization_code", client_secret, code, redirect_uri };
    const answer = code === "" ? undefined : await this.#post(this.#endpoints.token, form);
    return this.#verified(answer?.["access_token"]);
  }

  /** Claims for a user's app password. */
  async password(username: string, password: string): Promise<Claims | undefined> {
    const scope = this.#configuration.scopes_to_request.join(" ");
    const form = { grant_type: "client_credentials", username, password, scope };
    return this.#verified((await this.#post(this.#endpoints.token, form))?.["id_token"]);
  }

  /** Claims for a token that authentik issued for this provider. */
  async bearer(token: string): Promise<Claims | undefined> {
    const { client_secret } = this.#configuration;
    const answer = await this.#post(this.#endpoints.introspect, { client_secret, token });
    return answer?.["active"] === true ? this.#read(answer, token) : undefined;
  }

  #post(address: string, form: Record<string, string>): Promise<Fields | undefined> {
    const { client_id } = this.#configuration;
    return this.#send(address, this.#endpoints.tokenOrigin, { client_id, ...form });
  }

  /** Verifies signature, issuer and audience. */
  #verified(token: unknown): Claims | undefined {
    if (typeof token !== "string") return undefined;
    const { client_id, client_secret, name } = this.#configuration;
    try {
      const options = { algorithms: ["HS256" as const], issuer: this.#endpoints.issuer, audience: client_id };
      return this.#read(jwt.verify(token, client_secret, options) as Fields, token);
    } catch (error) {
      log("warning", "failed to verify token", { provider: name, error: (error as Error).message });
      return undefined;
    }
  }

  #read(payload: Fields, token: string): Claims | undefined {
    try {
      return claimsOf(payload, token);
    } catch (error) {
      log("warning", "failed to convert token to claims", { error: (error as Error).message });
      return undefined;
    }
  }
}

/** Sends over HTTP. Undefined = not reachable, refused or no JSON. `connect` replaces the address's own origin. */
export function sendHttp(connect?: () => string): Send {
  return async (address, origin, form) => {
    const { pathname, origin: own } = new URL(address);
    const { protocol, host } = new URL(origin || own);
    try {
      const { statusCode, body } = await request(new URL(pathname, connect?.() ?? own), {
        method: "POST",
        headers: {
          host,
          "x-forwarded-proto": protocol.slice(0, -1),
          "content-type": "application/x-www-form-urlencoded",
        },
        body: new URLSearchParams(form).toString(),
      });
      const answer = (await body.json()) as Fields;
      if (statusCode === 200) return answer;
      log("warning", "authentik refused a token", { status: statusCode, error: answer["error"] });
    } catch (error) {
      log("warning", "request to authentik failed", { address, error: (error as Error).message });
    }
    return undefined;
  };
}
