import fc from "fast-check";
import { loadPyodide } from "pyodide";
import { beforeAll, describe, expect, test } from "vitest";
import { group } from "../../config/schema/fields.ts";
import { headersExpression, IDENTITY_HEADERS } from "../../infra/identity/headers.ts";
import { samples } from "../helpers/full.ts";

interface User {
  readonly username: string;
  readonly email: string;
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  /** Merged with those of the groups. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Names that authentik gives an expression, as far as this one uses them; `all_groups` may repeat a group. */
const PROGRAM = `
import json
from types import SimpleNamespace

def tokens_without_login(expression):
    minted = []
    names = {}
    exec("def run(request, provider, ak_create_jwt):\\n" + expression, names)
    user = SimpleNamespace(username="AnonymousUser", email="", name="", uid="", all_groups=lambda: [])
    user.group_attributes = lambda request: {}
    provider = SimpleNamespace(access_token_validity="hours=8")
    names["run"](SimpleNamespace(user=user, context={"provider": provider}), provider, lambda *arguments: minted.append(1))
    return len(minted)

def evaluate(text):
    user = SimpleNamespace(**json.loads(text))
    user.group_attributes = lambda request: user.attributes
    user.all_groups = lambda: [SimpleNamespace(name=name) for name in user.groups * 2]
    minted = lambda *arguments: "/".join(str(argument) for argument in arguments[1:])
    request = SimpleNamespace(user=user, context={"token": SimpleNamespace()})
    return json.dumps(run(request, SimpleNamespace(access_token_validity="hours=8"), minted))
`;

const indented = (expression: string) => expression.replaceAll(/^/gm, "    ");

describe("identity headers, as Python computes them", () => {
  let headersOf: (user: Partial<User>) => Record<string, string>;
  let tokensWithoutLogin: (body: string) => number;

  beforeAll(async () => {
    const python = await loadPyodide();
    python.runPython(
      `def run(request, provider, ak_create_jwt):\n${indented(headersExpression("signer"))}\n${PROGRAM}`,
    );
    const globals = python.globals as unknown as { get: <T>(name: string) => (text: string) => T };
    const evaluate = globals.get<string>("evaluate");
    tokensWithoutLogin = globals.get<number>("tokens_without_login");
    const names = { username: "alice", email: "alice@example.org", name: "Alice", uid: "7" };
    const alice: User = { ...names, groups: [], attributes: {} };
    headersOf = (user) => {
      const response = JSON.parse(evaluate(JSON.stringify({ ...alice, ...user }))) as {
        ak_proxy: { user_attributes: { additionalHeaders: Record<string, string> } };
      };
      return response.ak_proxy.user_attributes.additionalHeaders;
    };
  }, 60_000);

  test("sets the six identity headers, and a token that is valid as long as the session", () => {
    expect(headersOf({ groups: ["staff", "admins"] })).toEqual({
      "X-idp-username": "alice",
      "X-idp-email": "alice@example.org",
      "X-idp-groups": "admins,staff",
      "X-idp-name": "Alice",
      "X-idp-uid": "7",
      "X-idp-jwt": "signer/['openid', 'email', 'profile', 'gatehouse_inherited_groups']/hours=8",
    });
    expect(Object.keys(headersOf({}))).toEqual([...IDENTITY_HEADERS]);
  });

  test("create no token without a login, when authentik lists the claims of a provider", () => {
    const check = 'if "token" not in request.context:\n    return {}\n';
    const expression = headersExpression("signer");
    const unchecked = expression.replace(check, "");
    expect(unchecked).not.toBe(expression);
    expect(tokensWithoutLogin(indented(expression))).toBe(0);
    expect(tokensWithoutLogin(indented(unchecked))).toBe(1);
  });

  test("contain 200 groups, also with pipes, spaces and æøå", () => {
    const groups = Array.from({ length: 200 }, (_, index) => `Drift | æøå ${String(index).padStart(3, "0")}`);
    expect(headersOf({ groups })["X-idp-groups"]?.split(",")).toEqual(groups);
  });

  test.each([
    ["a comma", "admins,staff"],
    ["a line break", "admins\r\nX-idp-username: root"],
    ["a character that is not seen", "ad\u200bmins"],
    ["a space that does not break", "ad\u00a0mins"],
    ["a space in front", " admins"],
    ["a space behind", "admins "],
    ["a decomposed character", "a\u0301dmins"],
  ])("leave out a group with %s, which would read as another", (_, group) => {
    expect(headersOf({ groups: ["users", group] })["X-idp-groups"]).toBe("users");
  });

  test("contain every group that a configuration accepts, as written, and no other one", () => {
    const piece = fc.constantFrom(
      ..."aZ9 |,.;:'\"/\\-_@æø\u0301日😀\t\n\r\0\x7f\x85\u00a0\u00ad\u200b\u200d\u2028\u202e\u3000\ufeff\ue000",
    );
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 5 }), (name) => {
        const carried = headersOf({ groups: [name] })["X-idp-groups"];
        expect(carried).toBe(group().safeParse(name).success ? name : "");
      }),
      samples(500),
    );
  });

  test("have the same value in every spelling of an attribute, and leave its other headers to it", () => {
    const additionalHeaders = { "x-idp-username": "ceo", "X-IDP-GROUPS": "admins", "X-idp-uid": "1", "X-team": "red" };
    const headers = headersOf({ groups: ["staff"], attributes: { additionalHeaders } });
    expect(headers).toEqual({
      ...headersOf({ groups: ["staff"] }),
      "x-idp-username": "alice",
      "X-IDP-GROUPS": "staff",
    });
  });

  test.each([null, "x-idp-username", ["x-idp-username"]])(
    "sets the six identity headers with the attribute %j",
    (additionalHeaders) => {
      expect(headersOf({ attributes: { additionalHeaders } })).toEqual(headersOf({}));
    },
  );

  test("contain no line break, and differ for different users", () => {
    const name = "Alice\r\nX-idp-groups: admins";
    expect(headersOf({ name, username: "ad\u200bmin" })).toMatchObject({
      "X-idp-name": "Alice??X-idp-groups: admins",
      "X-idp-username": "ad?min",
    });
  });
});
