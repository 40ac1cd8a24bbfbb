import { expect, test } from "vitest";
import { readMachineAccount } from "../../../ops/clients/machineAccount.ts";

const SECRET = {
  USERNAME: "verifier",
  PASSWORD: "canary",
  TOKEN_URL: "https://sso.example.org/application/o/token/",
  SCOPE: "openid",
  CLIENT_IDS: '{"https://whoami.example.org":"client"}',
};

test("reads an account from its Secret", () => {
  expect(readMachineAccount(SECRET)).toEqual({
    username: "verifier",
    password: "canary",
    tokenUrl: SECRET.TOKEN_URL,
    scope: "openid",
    clientIds: new Map([["https://whoami.example.org", "client"]]),
  });
});

test.each(Object.keys(SECRET))("names the missing key %s, and no value", (key) => {
  const read = (): unknown => readMachineAccount({ ...SECRET, [key]: undefined });
  expect(read).toThrow(`the account's Secret has no ${key}; deploy again`);
});

test("rejects client ids that are not JSON, without repeating them", () => {
  expect(() => readMachineAccount({ ...SECRET, CLIENT_IDS: "canary{" })).toThrow(
    /^CLIENT_IDS of the account's Secret is not a JSON object; deploy again$/,
  );
});
