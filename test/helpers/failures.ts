import { setImmediate } from "node:timers/promises";
import * as pulumi from "@pulumi/pulumi";

/**
 * Runs a program like the runners of Pulumi (cmd/run/run.ts, automation/server.ts), which it fails by throwing, and by a rejection that
 * nothing handles.
 * @returns the messages of the errors
 */
export async function failures(program: () => Promise<object>): Promise<string[]> {
  const errors = new Set<unknown>();
  const record = (error: unknown) => void errors.add(error);
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", record);
  try {
    await pulumi.runtime.runInPulumiStack(program).catch(record);
    await pulumi.runtime.disconnect();
    // Node.js reports rejections after the microtasks.
    await setImmediate();
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of others) process.on("unhandledRejection", listener);
  }
  return Array.from(errors, (error) => (error as Error).message);
}
