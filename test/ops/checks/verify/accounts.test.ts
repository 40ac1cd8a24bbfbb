import { expect, test } from "vitest";
import { parseStack } from "../../../../config/load.ts";
import { RetryingKubeConfig } from "../../../../infra/kubeConfig.ts";
import type { StackContext } from "../../../../ops/context/context.ts";
import { accountsOf } from "../../../../ops/checks/verify/accounts.ts";
import { shell, stack } from "../../../config/stacks.ts";

test("names a Secret of a service account that does not exist", async () => {
  const identity_provider = {
    install: false,
    url: "https://sso.example.org",
    token: "${TOKEN}",
    service_accounts: [
      {
        name: "robot",
        namespace: "apps",
      },
    ],
  };
  const settings = parseStack(stack({ identity_provider }), shell);
  const cluster = new RetryingKubeConfig();
  const api = { readNamespacedSecret: () => Promise.reject(Object.assign(new Error("HTTP 404"), { code: 404 })) };
  cluster.makeApiClient = () => api as never;
  const { machine, noAccount } = await accountsOf({ settings } as StackContext, cluster, { reveal: () => undefined });
  expect([machine, noAccount.reason]).toEqual([
    undefined,
    "Secret robot-account in namespace apps cannot be read: it does not exist",
  ]);
});
