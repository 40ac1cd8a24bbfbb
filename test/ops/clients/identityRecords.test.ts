import { expect, test } from "vitest";
import { AuthentikApi } from "../../../infra/identity/authentikApi.ts";
import { readIdentityRecords, requireSuperuser } from "../../../ops/clients/identityRecords.ts";

/** An API whose lists are empty. */
function api(isSuperuser: boolean): AuthentikApi {
  const send = (url: string) => {
    const body = url.endsWith("/core/users/me/")
      ? { user: { is_superuser: isSuperuser } }
      : { results: [], pagination: { next: 0 } };
    return Promise.resolve({
      url,
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  };
  return new AuthentikApi(send, "http://sso.example.org", "token");
}

test("reads the records with a superuser's token", async () => {
  await requireSuperuser(api(true));
  expect((await readIdentityRecords(api(true))).applications).toEqual([]);
});

test("rejects the token of another user, whose lists may lack bindings", async () => {
  await expect(requireSuperuser(api(false))).rejects.toThrow("its token is not a superuser's");
});
