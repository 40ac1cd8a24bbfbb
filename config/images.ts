/** `gatehouse:images`: which content a tag stands for, so that what was reviewed is what runs. */
import { z } from "zod";
import { text } from "./fields.ts";
import type { Draft } from "./shapes.ts";

const digest = () =>
  text(
    /^sha256:[0-9a-f]{64}$/,
    "a digest",
    "write sha256: and 64 hexadecimal digits, as docker buildx imagetools inspect IMAGE shows them",
  );

export const images = z.strictObject({
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
export type ImagesInput = z.output<typeof images>;

/** What the stack says of the images that it runs. */
export interface Images {
  /** By image with its tag. */
  readonly digests: Readonly<Record<string, string>>;
  /** Undefined = on every stack that is not for one machine. */
  readonly required: boolean | undefined;
}

export function toImages({ fields }: Draft<ImagesInput>): Images {
  return { digests: fields.digests ?? {}, required: fields.required };
}
