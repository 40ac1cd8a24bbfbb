import { ApiException } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { errorText } from "../../../config/errors/errorText.ts";

const refused = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });

function thrown(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}

test.each([
  ["an error", new Error("no such host"), "no such host"],
  ["an error with another cause", new Error("cannot read it", { cause: refused }), "cannot read it"],
  ["a failed fetch", new TypeError("fetch failed", { cause: refused }), "connect ECONNREFUSED 127.0.0.1:1"],
  [
    "several addresses",
    new TypeError("fetch failed", { cause: new AggregateError([refused, new Error("timeout")]) }),
    "connect ECONNREFUSED 127.0.0.1:1, timeout",
  ],
  ["a response of the Kubernetes API", new ApiException(403, "forbidden", { secret: "canary" }, {}), "HTTP 403"],
  ["a program that failed", Object.assign(new Error("Command failed: tar"), { code: 2 }), "Command failed: tar"],
  ["an error without a message", Object.assign(new Error(""), { code: "ECONNRESET" }), "ECONNRESET"],
  ["an error with nothing but a name", new RangeError(), "RangeError"],
  ["a value that is not an error", "stopped", "stopped"],
  [
    "a backend that cannot be opened",
    new Error("unable to open bucket postgres://user:p@ss-canary@127.0.0.1:1/db?sslpassword=canary&x=1: failed"),
    "unable to open bucket postgres://[redacted]@127.0.0.1:1/db?sslpassword=[redacted]&x=1: failed",
  ],
  ["an address with a token", new Error("no https://ghp_canary@host/a@b"), "no https://[redacted]@host/a@b"],
  ["an address without a user", new Error("https://:canary@host/a@b"), "https://[redacted]@host/a@b"],
  [
    "addresses without credentials",
    new Error("https://host:8080/@scope/x?page=1"),
    "https://host:8080/@scope/x?page=1",
  ],
  ["what is no JSON", thrown(() => JSON.parse("canary")), "it is not valid JSON"],
  [
    "a token with a line break",
    thrown(() => new Headers({ authorization: "Bearer canary\ncanary" })),
    "a header has invalid characters. Check the token for line breaks",
  ],
])("returns the text of %s", (_, error, text) => {
  expect(errorText(error)).toBe(text);
});
