import type { Rule } from "../rule.ts";
import { defaultTls } from "./defaultTls.ts";
import { imageDigests } from "./imageDigests.ts";
import { middlewareContent } from "./middlewareContent.ts";
import { plainSecrets } from "./plainSecrets.ts";
import { plannedHosts } from "./plannedHosts.ts";
import { privateSchemas } from "./privateSchemas.ts";
import { protectedRoutes } from "./protectedRoutes.ts";
import { restrictedPods } from "./restrictedPods.ts";
import { serviceAccounts } from "./serviceAccounts.ts";
import { singleObjects, singleRoutes } from "./singleRoutes.ts";
import { visibleObjects } from "./visibleObjects.ts";

/** Every rule of the pack, in the order of docs/policy.md. */
export const RULES: readonly Rule[] = [
  protectedRoutes,
  middlewareContent,
  plannedHosts,
  singleRoutes,
  singleObjects,
  visibleObjects,
  defaultTls,
  privateSchemas,
  serviceAccounts,
  restrictedPods,
  imageDigests,
  plainSecrets,
];
