import { expect, test } from "vitest";
import { decoded } from "../../catalog/src/state/location.ts";
import { tablePath } from "../../catalog/src/state/paths.ts";

test.each([["dim_kommune"], ["a/b?c=d#e&f;g"], ["100%"], ["%41%2541"], ["Blåbær, 漢字 😀"], ["a\\b'\"<>"]])(
  "decodes the part of a path that encodes %j",
  (name) => expect(decoded(tablePath("marts", name).split("/")[3] ?? "")).toBe(name),
);

test.each([["%"], ["%ff"], ["a%E0%A4"]])("keeps %s, which is not a valid encoding", (part) => {
  expect(decoded(part)).toBe(part);
});
