/** Digests of the container images, so that the reviewed content is the deployed one. */
import { z } from "zod";
import type { Draft } from "../../schema/draft.ts";
import { text } from "../../schema/fields.ts";
import { IMAGES } from "./imageNames.ts";
import { suggestion } from "../../errors/problems.ts";
import type { Resolved } from "../../schema/resolve.ts";
import type { Section } from "../section.ts";
import type { DataApiDraft } from "../dataApi/dataApi.ts";
import type { Domain } from "../domains/domains.ts";
import type { IdentityProviderDraft } from "../identityProvider/identityProvider.ts";
import type { PostgresDraft } from "../postgres/postgres.ts";

const digest = () =>
  text(
    /^sha256:[0-9a-f]{64}$/,
    "a digest",
    "write sha256: and 64 hexadecimal digits, as docker buildx imagetools inspect IMAGE shows them",
  );

const schema = z.strictObject({
  digests: z
    .record(z.string(), digest())
    .default({})
    .describe("Digest by image with its tag, e.g. `traefik/whoami:v1.11.0`."),
  required: z
    .boolean()
    .optional()
    .describe(
      "The policy pack refuses images without a digest. Default: true, unless localhost is the only enabled domain.",
    ),
});

export const images = {
  schema,
  description: "Digests of the container images.",
  example: `
gatehouse:images:
  digests:
    traefik/whoami:v1.11.0: sha256:1111111111111111111111111111111111111111111111111111111111111111
`,
  text: `
An image with a digest runs as \`image:tag@digest\`. A new tag needs a new entry. See [images by digest](policy.md#images-by-digest).
`,
} satisfies Section;

type ImagesDraft = Draft<z.output<typeof schema>>;
/** `required` is undefined if it depends on the enabled domains. */
export type Images = Resolved<z.output<typeof schema>>;

interface Exposed {
  readonly images: Images;
  readonly domains: readonly Domain[];
}

interface Drafts {
  readonly images: ImagesDraft;
  readonly identityProvider: IdentityProviderDraft | undefined;
  readonly postgres: PostgresDraft | undefined;
  readonly dataApi: DataApiDraft | undefined;
}

/** Returns whether images must state their digests. Default: unless localhost is the only domain on which the stack exposes anything. */
export function digestsRequired({ images, domains }: Exposed): boolean {
  return images.required ?? domains.some(({ enabled, kind }) => enabled && kind !== "localhost");
}

/** Warns of digests of images that the stack does not run. */
export function imagesWarnings(drafts: Drafts): string[] {
  const known = imagesOf(drafts);
  const unknown = Object.keys(drafts.images.fields.digests ?? {}).filter((image) => !known.includes(image));
  return unknown.map((image) => {
    const meant = suggestion(image, known);
    const hint = meant === undefined ? "Remove it, or correct its name and tag." : `Did you mean "${meant}"?`;
    return `images.digests: the stack runs no image "${image}". ${hint}`;
  });
}

/** Returns all images that a stack with these versions can run. */
function imagesOf({ identityProvider, postgres, dataApi }: Drafts): string[] {
  const { install, version = "" } = { ...identityProvider?.fields };
  const server = postgres?.fields.install;
  return [
    ...(install ? [IMAGES.authentik(version)] : []),
    IMAGES.outpost(version),
    ...(server?.kind === "cloudnativepg" ? [IMAGES.cloudNativePg(server.version)] : []),
    ...(server?.kind === "statefulset" ? [IMAGES.postgres(server.version)] : []),
    ...(dataApi ? [IMAGES.psql, IMAGES.postgrest(dataApi.fields.version ?? "")] : []),
    IMAGES.node,
    IMAGES.whoami,
  ];
}
