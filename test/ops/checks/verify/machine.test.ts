import { expect, test } from "vitest";
import { readMachineAccount } from "../../../../ops/checks/verify/machine.ts";

const SECRET = {
  ...{
    USERNAME: "verifier",
    PASSWORD: "canary",
    TOKEN_URL: "https://sso.example.org/application/o/token/",
    SCOPE: "openid",
  },
  CLIENT_IDS: '{"https://whoami.example.org":"client"}',
};

test("an account is what its Secret says", () => {
  expect(readMachineAccount(SECRET)).toEqual({
    ...{ username: "verifier", password: "canary", tokenUrl: SECRET.TOKEN_URL, scope: "openid" },
    clientIds: new Map([["https://whoami.example.org", "client"]]),
  });
});

test.each(Object.keys(SECRET))("without %s the key is named, and no value", (key) => {
  const read = (): unknown => readMachineAccount({ ...SECRET, [key]: undefined });
  expect(read).toThrow(`the account's Secret has no ${key}; deploy again`);
});

test("broken client ids are not repeated", () => {
  expect(() => readMachineAccount({ ...SECRET, CLIENT_IDS: "canary{" })).toThrow(
    /^CLIENT_IDS of the account's Secret is not a JSON object; deploy again$/,
  );
});
