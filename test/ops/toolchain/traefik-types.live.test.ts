import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createProgress } from "../../../ops/terminal/progress.ts";
import { ensureLocalTools } from "../../../ops/toolchain/toolchain.ts";
import { TRAEFIK_TYPES, traefikTypes } from "../../../ops/toolchain/traefikTypes.ts";

test("sdks/traefik/index.d.ts is up to date (node ops/toolchain/traefikTypes.ts)", async () => {
  const files = await ensureLocalTools(["traefik-crds"], createProgress());
  const definitions = await readFile(files["traefik-crds"], "utf8");
  expect(await readFile(TRAEFIK_TYPES, "utf8")).toBe(await traefikTypes(definitions));
});
