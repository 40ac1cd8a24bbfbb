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

test("separates the redirect URIs of a sign-in from those after a sign-out, and keeps the authentication flow", async () => {
  const fields = {
    pk: 1,
    authentication_flow: "mfa",
    name: "wiki",
    authorization_flow: "f",
    access_token_validity: "minutes=5",
  };
  const strict = (url: string) => ({ url, matching_mode: "strict" });
  const client = {
    ...fields,
    refresh_token_validity: "days=30",
    sub_mode: "hashed_user_id",
    redirect_uris: [
      strict("https://wiki.test/old"),
      { ...strict("https://wiki.test/callback"), redirect_uri_type: "authorization" },
      { ...strict("https://wiki.test/bye"), redirect_uri_type: "logout" },
    ],
  };
  const lists: Record<string, readonly object[]> = { "/providers/oauth2/": [client] };
  const all = (path: string) => Promise.resolve(lists[path] ?? []);
  const { clients } = await readIdentityRecords({ all } as unknown as AuthentikApi);
  expect(clients).toMatchObject([
    {
      authentication_flow: "mfa",
      redirect_uris: [strict("https://wiki.test/old"), strict("https://wiki.test/callback")],
      logout_uris: ["https://wiki.test/bye"],
    },
  ]);
});
