import { expect, test } from "vitest";
import { isServerError, reasonOf, withoutConsequences } from "../../../ops/engine/reason.ts";

test("returns the errors in the output of a command", () => {
  const message = [
    "code: -2",
    " stdout: ",
    " stderr: Command failed with exit code 1: /opt/pulumi preview --stack dev",
    "error: 2 errors occurred:",
    "    1) could not find the plugin",
    "    2) no analyzer found",
    "Previewing update (dev):",
    "    something: else",
    " err?: Error: Command failed with exit code 1",
  ].join("\n");
  expect(reasonOf(new Error(message))).toBe("2 errors occurred:\n1) could not find the plugin\n2) no analyzer found");
});

test("returns an error that follows the name of the stream on the same line", () => {
  const message = "code: 255\n stdout: \n stderr: error: incorrect passphrase\n\n err?: ";
  expect(reasonOf(new Error(message))).toBe("incorrect passphrase");
});

test("returns the message of any other error without colours", () => {
  expect(reasonOf(new Error("\u001b[31mno network\u001b[0m\n"))).toBe("no network");
  expect(reasonOf("no network")).toBe("no network");
});

test("leaves out an error that only follows from another one", () => {
  const cause = 'app: applications "app" already exists';
  const consequence = "wiki: failed to run remediation: context canceled";
  expect(withoutConsequences([consequence, cause])).toEqual([cause]);
  expect(withoutConsequences([consequence])).toEqual([consequence]);
  // Of a real deployment whose namespace existed: the engine ends the plugins, and lookups that were in progress fail.
  const lookup =
    "invocation of authentik:index/getFlow:getFlow returned an error: grpc: the client connection is closing";
  expect(withoutConsequences([cause, lookup])).toEqual([cause]);
});

test("returns the error of a resource of the Terraform bridge once", () => {
  // Of a real deployment, with the publisher's plugins.
  const error = `wiki-provider: HTTP Error '500 Internal Server Error' during request 'DELETE /api/v3/providers/proxy/60/': "Internal Server Error":`;
  const logged = error.replace("wiki-provider: ", "wiki-provider: [ERROR] : ").slice(0, -1);
  const other = "docs-provider: [ERROR] : HTTP Error '502 Bad Gateway'";
  expect(withoutConsequences([logged, error, other, ": update failed"])).toEqual([error, other]);
  expect(withoutConsequences([": update failed"])).toEqual([": update failed"]);
});

test.each([
  ["wiki-application: HTTP Error '500 Internal Server Error' during request 'POST /api/v3/core/applications/'", true],
  ["wiki-application: HTTP Error '502 Bad Gateway' during request 'PATCH /api/v3/core/applications/wiki/'", true],
  ["wiki-application: HTTP Error '400 Bad Request' during request 'POST /api/v3/core/applications/': 500", false],
  [`wiki-application: HTTP Error 'POST "http://127.0.0.1:9000/": connect ECONNREFUSED' without http response`, false],
])("reports whether authentik answered with 5xx: %s", (error, expected) => {
  expect(isServerError(error)).toBe(expected);
});
