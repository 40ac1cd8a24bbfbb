/** The verification as a job in the cluster: `TARGET` is the file with the expectations; prints JSON lines, and fails when a check failed. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { JobTarget } from "../../../../infra/verification/target.ts";
import { verifyTarget } from "./verifyTarget.ts";

const target = JSON.parse(gunzipSync(readFileSync(process.env["TARGET"] ?? "")).toString()) as JobTarget;
// Ends the requests of probes that did not end in time.
process.exit(await verifyTarget(target, process.env, (line) => void process.stdout.write(`${line}\n`)));
