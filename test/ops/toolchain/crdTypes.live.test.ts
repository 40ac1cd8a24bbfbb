import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { createProgress } from "../../../ops/terminal/progress.ts";
import { crdTypes, SDKS, typesFile } from "../../../ops/toolchain/crdTypes.ts";
import { ensureTools } from "../../../ops/toolchain/toolchain.ts";

test.each(SDKS)("generates sdks/$name/index.d.ts as committed (node ops/toolchain/crdTypes.ts)", async (sdk) => {
  const files = await ensureTools([sdk.definitions], createProgress(), { local: true });
  const definitions = await readFile(files[sdk.definitions], "utf8");
  expect(await readFile(typesFile(sdk), "utf8")).toBe(await crdTypes(sdk, definitions));
});
