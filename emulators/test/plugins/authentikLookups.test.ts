import { afterEach, beforeEach, expect, test } from "vitest";

import type { Value, Values } from "../../plugins/protocol/plugin.ts";
import { RECORDED, SEQUENCES, bare, openScene, opened } from "./authentikServer.ts";
import type { Recorded, Scene } from "./authentikServer.ts";

const EMAIL = "ecffd8da-5992-57b6-b971-7feb3d1fd7ec";

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

const managed = ["openid", "email"].map((scope) => `goauthentik.io/providers/oauth2/scope-${scope}`);

test.each<[string, string, Values, Values]>([
  [
    "flow_slug",
    "getFlow",
    { slug: "default-provider-invalidation-flow" },
    { id: "067ecd8d-09b1-543e-980a-82c82690082b" },
  ],
  [
    "scope_partial",
    "getPropertyMappingProviderScope",
    { managedLists: [managed[1] ?? "", "goauthentik.io/nope"] },
    { id: "-1", ids: [EMAIL] },
  ],
  ["scope_scopename", "getPropertyMappingProviderScope", { scopeName: "email" }, { id: EMAIL }],
  [
    "cert_nokey",
    "getCertificateKeyPair",
    { name: "authentik Self-signed Certificate", fetchKey: false, fetchCertificate: false },
    { id: "b277ce25-e258-5954-8b7d-1582e90e2bcd" },
  ],
  ["user_name", "getUser", { username: "akadmin" }, { id: "1", pk: 1 }],
])("sends the recorded requests and returns the object: %s", async (what, name, args, expected) => {
  const { calls } = lookup(what);
  const result = await scene.plugin.invoke?.(`authentik:index/${name}:${name}`, args);
  expect(scene.sent).toEqual(calls.map(bare));
  expect(opened(result ?? {})).toMatchObject(expected);
});

test.each<[string, string, Values, string]>([
  ["flow_miss", "getFlow", { slug: "nope" }, "No matching flows found"],
  [
    "flow_by_designation",
    "getFlow",
    { designation: "invalidation" },
    "the emulated provider looks up flows only by slug",
  ],
  ["cert_miss", "getCertificateKeyPair", { name: "nope" }, "No matching groups found"],
])("%s fails without a match", async (what, name, args, message) => {
  const { calls } = lookup(what);
  await expect(scene.plugin.invoke?.(`authentik:index/${name}:${name}`, args)).rejects.toThrow(new Error(message));
  expect(scene.sent).toEqual(calls.map(bare));
});

/** Responds to a recorded lookup. A response that is not in this record is in an earlier one, under another query or in a list. */
function lookup(what: string): { calls: Recorded[] } {
  const calls = SEQUENCES.find((sequence) => sequence.what === `data source ${what}`)?.calls ?? [];
  scene.answer = ({ path, query }) => {
    const now = calls.find((call) => call.path === path && call.query === query);
    const nothing = query?.endsWith("nope") ? { pagination: {}, results: [], autocomplete: {} } : undefined;
    const body = now?.response ?? nothing ?? (path.split("/").length > 6 ? oneLike(path) : listLike(path, query));
    return { status: now?.status ?? 599, body: JSON.stringify(body) };
  };
  return { calls };
}

function listLike(path: string, query: string | undefined): Values | null | undefined {
  const lists = RECORDED.filter((call) => call.path === path && call.response?.results && call.query !== "slug=nope");
  return (lists.find((call) => call.query === query) ?? lists[0])?.response;
}

function oneLike(path: string): Value | null | undefined {
  const [view = path] = /view_\w+\/$/.exec(path) ?? [];
  const entries = RECORDED.flatMap(({ response }) => (response?.results ?? []) as Values[]);
  const entry = entries.find(({ pk }) => String(pk as string) === path.split("/").at(-2));
  return RECORDED.find((call) => call.response && call.path.endsWith(view))?.response ?? entry;
}
