import type { Bundle } from "../../infra/verification/bundle.ts";

/** A minimal program of the verification job. */
export const VERIFY_BUNDLE: Bundle = { "start.mjs": Buffer.from("start"), "verify.mjs.br": Buffer.from("program") };
