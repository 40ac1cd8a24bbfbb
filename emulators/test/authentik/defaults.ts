import { type Bootstrap, createDefault, defaults } from "../../authentik/defaults.ts";
import type { Runtime } from "../../authentik/resources.ts";

/** Creates all default objects at once, unlike authentik; for tests of other behavior. */
export function createDefaults(runtime: Runtime, bootstrap: Bootstrap): void {
  for (const { path } of defaults) createDefault(runtime, path, bootstrap);
}
