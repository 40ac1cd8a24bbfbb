import { expect, test } from "vitest";
import type { AuthentikApi } from "../../../infra/identity/authentikApi.ts";
import { readIdentityRecords, requireSuperuser } from "../../../ops/clients/identityRecords.ts";

/** An API whose lists are empty. */
function api(isSuperuser: boolean): AuthentikApi {
  const one = () => Promise.resolve({ user: { is_superuser: isSuperuser } });
  return { one, all: () => Promise.resolve([]) } as unknown as AuthentikApi;
}

test("reads the records with a superuser's token", async () => {
  await requireSuperuser(api(true));
  expect((await readIdentityRecords(api(true))).applications).toEqual([]);
});

test("rejects the token of another user, whose lists may lack bindings", async () => {
  await expect(requireSuperuser(api(false))).rejects.toThrow("its token is not a superuser's");
});
