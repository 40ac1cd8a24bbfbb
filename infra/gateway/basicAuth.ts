import { createHmac } from "node:crypto";
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { encodeBase64, hashSync } from "bcryptjs";
import type { BasicService } from "../../config/settings.ts";
import { reveal } from "../secrets.ts";
import { TRAEFIK_API } from "./middlewares.ts";

/** Traefik hashes on every request, so the cost is paid by every request: 10 is some 50 ms (traefik #4791, `npm run bench`). */
const COST = 10;

export interface BasicAuthArgs {
  readonly service: BasicService;
  readonly namespace: string;
}

/** User name and password of one basic service: a Secret with the hash, and the middleware that checks it. */
export class BasicAuth extends pulumi.ComponentResource {
  readonly middlewareName: string;

  constructor(name: string, args: BasicAuthArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:gateway:BasicAuth", name, {}, opts);
    const { service, namespace } = args;
    this.middlewareName = `${service.name}-basic-auth`;
    const users = reveal(service.basicAuth.password).apply((password) =>
      htpasswdLine(service.basicAuth.username, password, `${pulumi.getStack()}/${service.name}`),
    );
    const secret = new k8s.core.v1.Secret(
      `${name}-users`,
      { metadata: { name: this.middlewareName, namespace }, stringData: { users } },
      { parent: this },
    );
    new k8s.apiextensions.CustomResource(
      `${name}-middleware`,
      {
        apiVersion: TRAEFIK_API,
        kind: "Middleware",
        metadata: { name: this.middlewareName, namespace },
        spec: {
          basicAuth: {
            secret: secret.metadata.name,
            realm: service.name,
            headerField: "X-idp-username",
            // The application learns the name, never the password.
            removeHeader: true,
          },
        },
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}

/**
 * One htpasswd line, the same on every run: bcrypt with a salt derived from the password and its place, since a random salt would
 * change on every preview. Keyed by the password, so that equal places with unequal passwords share no salt.
 * @param place what the password belongs to, e.g. `dev/legacy`
 */
export function htpasswdLine(username: string, password: string, place: string): string {
  const salt = createHmac("sha256", password).update(`gatehouse basic auth ${place}`).digest().subarray(0, 16);
  return `${username}:${hashSync(password, `$2b$${COST}$${encodeBase64(salt, 16)}`)}`;
}
