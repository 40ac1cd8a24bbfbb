import { expect, test } from "vitest";
import { main } from "../../../ops/commands/preview.ts";
import { devStack } from "../../helpers/devStack.ts";
import { SHELL } from "../../helpers/shell.ts";

const project = devStack("rancher-desktop");

async function run(...args: readonly string[]): Promise<{ code: number; error: string }> {
  let error = "";
  const shell = {
    ...SHELL,
    project: project(),
    data: project(),
    environment: { PATH: "/nowhere" },
    error: (text: string) => (error += text),
  };
  return { code: await main(args, shell), error };
}

test("rejects --skip-policy", async () => {
  expect(await run("rancher-desktop", "--skip-policy")).toEqual({
    code: 2,
    error: "error: unknown option '--skip-policy'\n",
  });
});

test("exits with 2 and prints the cause and a hint if the policy pack cannot run", async () => {
  const { code, error } = await run("rancher-desktop");
  expect(code).toBe(2);
  expect(error).toMatch(
    /^the policy pack does not start: .*: node: not found\. Restore policy\/, put a supported Node\.js first on PATH \(Node\.js 24\.19 or newer of 24, or 26\.10 or newer\), and run npm ci\. See docs\/policy\.md, Where it cannot run\.\n$/,
  );
});
