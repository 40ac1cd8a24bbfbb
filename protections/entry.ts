/** Fields that entries of `protected_services` of several types have. */
import { z } from "zod";
import { type Backend, service } from "../config/sections/protectedServices/backend.ts";
import { exposedOn, group, label, nonEmptyText, publicPath, sessionLength, slug } from "../config/schema/fields.ts";
import type { Resolved } from "../config/schema/resolve.ts";

/** Fields of every entry. */
export const entryFields = {
  name: label()
    .regex(/^(?!gatehouse-)/, "a name that does not start with gatehouse-; Gatehouse's own objects have such names")
    .describe("Name of the service, and host label: `<name>.<base_domain>`."),
  description: nonEmptyText().describe("Free text."),
  domains: exposedOn().describe("Domain kinds on which the service is exposed, or `auto` for every enabled one."),
  service: service.prefault({}).describe("Kubernetes Service of the application."),
  public_paths: z
    .array(publicPath())
    .default([])
    .describe(
      "Path prefixes that are open without a session, by whole segments: `/public` opens `/public` and `/public/x`, not `/publicity`.",
    ),
};

/** Fields of an entry whose users sign in at the identity provider. */
export const applicationFields = {
  application_slug: slug()
    .regex(
      /^(?!gatehouse(-|$))/,
      "a slug that does not start with gatehouse; Gatehouse's own applications have such slugs",
    )
    .describe(
      "Slug of the application in the identity provider; with forward auth, that of a host is `<application_slug>-<domain kind>`.",
    ),
  groups: z
    .array(group())
    .default([])
    .describe("Allowed groups. Without groups, every user who can sign in is allowed."),
  session: sessionLength()
    .optional()
    .describe(
      "Length of a session, e.g. hours=10; at least minutes=5, because a login must finish within it. Default: `identity_provider.session`.",
    ),
};

/** Settings of an entry of any type. */
export interface EntrySettings {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  /** The enabled domain kinds on which the service is exposed, without `auto`. */
  readonly domains: readonly string[];
  readonly backend: Backend;
  /** Allowed groups; empty = every user who can sign in. */
  readonly groups: readonly string[];
  readonly publicPaths: readonly string[];
  /** Length of a session as authentik writes it, e.g. `hours=10`. */
  readonly session: string;
  readonly applicationSlug?: string;
}

/** Settings of an entry with a schema. */
export type Entry<Schema extends z.ZodType> = EntrySettings &
  Omit<Resolved<z.output<Schema>>, "domains" | "service" | "groups" | "session">;
