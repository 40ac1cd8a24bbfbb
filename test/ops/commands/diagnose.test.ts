import { expect, test } from "vitest";
import { main } from "../../../ops/commands/diagnose.ts";
import { SHELL } from "../../helpers/shell.ts";

test.each(["", "http://", "a b"])("exits with 2 for the host %j", async (host) => {
  let error = "";
  const shell = { ...SHELL, error: (text: string) => void (error += text) };
  expect([await main(["somewhere", host], shell), error]).toEqual([
    2,
    `error: "${host}" is neither a host nor an address\n`,
  ]);
});
