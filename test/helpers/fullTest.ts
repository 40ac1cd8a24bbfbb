import { test } from "vitest";
import { FULL } from "./full.ts";

/** A test that runs with `FULL=1` only. */
export const fullTest = test.runIf(FULL);
