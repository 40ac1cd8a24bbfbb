import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { StackContext } from "../../../ops/context/context.ts";
import { secretsOf } from "../../../ops/checks/secrets.ts";
import { stack } from "../../config/stacks.ts";

function context(encrypted: readonly string[], local = false): StackContext {
  const { config, ...rest } = stack({ protected_services: [] });
  const secret = Object.fromEntries(encrypted.map((name) => [`variables:${name}`, { secret: true } as const]));
  const raw = { ...rest, config: { ...config, ...secret } };
  const settings = parseStack(raw, {}, { secretsRequired: false });
  const environment = { TOKEN: "of the shell" };
  return { context: "here", stack: "dev", raw, environment, settings, plan: computePlan(settings), local };
}

test("prefers the value of the stack file to that of the shell", async () => {
  const decrypt = () => Promise.resolve({ TOKEN: "of the stack" });
  const { known, problem } = await secretsOf(context(["TOKEN"]), decrypt);
  expect([known["TOKEN"], problem]).toEqual(["of the stack", undefined]);
});

test("returns the value of the shell if the stack file cannot be decrypted", async () => {
  const decrypt = () => Promise.reject(new Error("incorrect passphrase\nmore"));
  const { known, problem } = await secretsOf(context(["TOKEN"]), decrypt);
  expect([known["TOKEN"], problem]).toEqual(["of the shell", "incorrect passphrase"]);
});

test("does not decrypt a stack file without secrets, nor on the local platform", async () => {
  const decrypt = () => Promise.reject(new Error("the engine was started"));
  for (const without of [context([]), context(["TOKEN"], true)]) {
    const { known, problem } = await secretsOf(without, decrypt);
    expect([known["TOKEN"], problem]).toEqual(["of the shell", undefined]);
  }
});
