import { describe, expect, test } from "vitest";
import { comparable, literalSetting } from "../../../infra/identity/secretRules.ts";

describe("a value that authentik compares", () => {
  test("is ASCII, and no longer than its field", () => {
    expect(comparable("s3cret ~!", "token")).toBe("s3cret ~!");
    expect(comparable("a".repeat(255), "client_id", 255)).toHaveLength(255);
    expect(() => comparable("pæssord", "oauth_config.client_secret")).toThrow(
      "oauth_config.client_secret: contains a control character or one outside of ASCII, which authentik cannot compare. Use letters and digits.",
    );
    expect(() => comparable("a".repeat(256), "client_id", 255)).toThrow(
      "client_id: has 256 characters, of which authentik stores 255. Use a shorter one.",
    );
  });
});

describe("an environment variable of authentik", () => {
  test.each(["c0ffee", "1e5x", "p/a//ss", "a:b", "file", "environment:x", "tru", "{x}", "//abc", "https://x"])(
    "can be %j",
    (value) => {
      expect(literalSetting(value, "identity_provider.secret_key")).toBe(value);
    },
  );

  // `12` has no length, 1e10 is 10000000000.0, and the last one is an error in urllib (run with authentik's ConfigLoader).
  test.each(["12", "1e10", "true", "null", '"abc"', "[1]", "NaN", "-Infinity", "file:hunter2", "env://HOME", "//[x"])(
    "is refused if it is %j",
    (value) => {
      expect(() => literalSetting(value, "identity_provider.secret_key")).toThrow(
        "identity_provider.secret_key: is a number, another JSON value, or a URI, which authentik does not read as it is. Use another one, e.g. of: openssl rand -hex 32",
      );
    },
  );
});
