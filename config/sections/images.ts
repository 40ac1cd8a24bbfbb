/** Digests of the container images, so that the reviewed content is the deployed one. */
import { z } from "zod";
import type { Draft } from "../draft.ts";
import { text } from "../fields.ts";
import type { Resolved } from "../resolve.ts";
import type { Section } from "../section.ts";

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
  schema: schema,
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

export type ImagesDraft = Draft<z.output<typeof schema>>;
/** `required` is undefined if it depends on the enabled domains. */
export type Images = Resolved<z.output<typeof schema>>;
