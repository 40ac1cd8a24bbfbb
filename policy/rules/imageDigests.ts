import { podsOf } from "../pods.ts";
import { type Manifest, manifestsOf, textAt } from "../../manifests/resource.ts";
import type { Rule, Violation } from "../rule.ts";

const DIGEST = /@sha256:[0-9a-f]{64}$/;

/** A tag can be moved to another image after it was reviewed. */
export const imageDigests: Rule = {
  name: "images-state-digests",
  description: "Every image has a digest, except on stacks for development.",
  scope: "resource",
  check: (resources, { digestsRequired }) => (digestsRequired ? manifestsOf(resources).flatMap(byTag) : []),
};

function byTag(manifest: Manifest): Violation[] {
  const inPods = podsOf(manifest).flatMap(({ containers }) =>
    containers.map((container) => textAt(container, "image")),
  );
  // CloudNativePG makes its pods itself.
  const images = [...inPods, textAt(manifest.spec, "imageName")].filter((image) => image !== undefined);
  return [...new Set(images)]
    .filter((image) => !DIGEST.test(image))
    .map((image) => ({
      rule: imageDigests.name,
      subject: manifest.label,
      message: `runs ${image} by a tag, whose content can change`,
      hint: `add its digest to gatehouse:images, digests: { "${image}": "sha256:…" }`,
    }));
}
