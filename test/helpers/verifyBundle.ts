import type { Bundle } from "../../infra/verification/bundle.ts";

/** A job's program as small as one can be. */
export const VERIFY_BUNDLE: Bundle = { "start.mjs": Buffer.from("start"), "verify.mjs.br": Buffer.from("program") };
