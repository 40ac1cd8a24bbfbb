import * as pulumi from "@pulumi/pulumi";
import type { Images } from "../config/settings.ts";

/**
 * Returns an image with its digest, if the stack has one: `name:tag@sha256:…`, of which only the digest is resolved.
 * @param image with its tag, e.g. `traefik/whoami:v1.11.0`
 */
export function pinned(image: string): string {
  const digest = new pulumi.Config("gatehouse").getObject<Partial<Images>>("images")?.digests?.[image];
  return digest === undefined ? image : `${image}@${digest}`;
}
