import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { computePlan } from "../../../infra/plan/plan.ts";
import type { StackContext } from "../../../ops/context/context.ts";
import { credentialsOf, secretsOf } from "../../../ops/checks/secrets.ts";
import { oauth2, stack } from "../../config/stacks.ts";

function context(encrypted: readonly string[], local = false): StackContext {
  const { config, ...rest } = stack({ protected_services: [] });
  const secret = Object.fromEntries(encrypted.map((name) => [`variables:${name}`, { secret: true } as const]));
  return contextOf({ ...rest, config: { ...config, ...secret } }, { TOKEN: "of the shell" }, local);
}

function contextOf(raw: StackContext["raw"], environment: StackContext["environment"], local = false): StackContext {
  const settings = parseStack(raw, {}, { secretsRequired: false });
  const plan = computePlan(settings);
  return { context: "here", given: "here", stack: "dev", raw, environment, settings, plan, local };
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

test("includes a client id in the secrets only if it is encrypted", async () => {
  const config = { client_id: "${CLIENT}", client_secret: "${SECRET}", redirect_uri: "/login" };
  for (const [value, known] of [
    [{ value: "grafana" }, ["SECRET"]],
    [{ secret: true } as const, ["CLIENT", "SECRET"]],
  ] as const) {
    const raw = stack({ protected_services: [oauth2({}, config)] }, { "variables:CLIENT": value });
    const all = contextOf(raw, { SECRET: "of the shell" });
    const found = await secretsOf(all, () => Promise.resolve({ CLIENT: "a5f8b2" }));
    expect(Object.keys(found.known).sort()).toEqual(known);
  }
});

test("includes the password of a backend in Postgres in the credentials, whatever characters it has", () => {
  const environment = { PULUMI_BACKEND_URL: "postgres://user:p@s/s:word@db.example.org/state" };
  expect(credentialsOf({ ...context([]), environment }, undefined)).toEqual(["p@s/s:word"]);
});
