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
  const docs = "docs-provider: HTTP Error '502 Bad Gateway'";
  expect(withoutConsequences([logged, error, other, "update failed"])).toEqual([error, docs]);
  expect(withoutConsequences(["update failed"])).toEqual(["update failed"]);
  // The same in a preview with refresh.
  const read = error.replace("wiki-provider: ", "wiki-provider: Preview failed: ");
  expect(withoutConsequences([logged, read, "gatehouse-dev: preview failed"])).toEqual([read]);
});

test("returns the error of a lookup of the Terraform bridge once, which is in its log only", () => {
  // Of a real preview, with the publisher's plugins.
  const logged = "[ERROR] : HTTP Error '500 Internal Server Error' during request 'GET /api/v3/flows/instances/'";
  const serializing =
    'error serializing property "authorizationFlow": error serializing property "authorizationFlow": ';
  const unhandled = `Unhandled exception: Error: ${serializing}\n    at Object.callback (/pulumi/runtime/invoke.js:229:29)`;
  expect(
    withoutConsequences([logged, serializing, "preview canceled", unhandled, "Resource monitor is terminating"]),
  ).toEqual(["HTTP Error '500 Internal Server Error' during request 'GET /api/v3/flows/instances/'"]);
  // The same, if the program awaits the lookup elsewhere.
  const empty = ["Error", "Unhandled exception: Error\n    at Object.callback (/pulumi/runtime/invoke.js:229:29)"];
  expect(withoutConsequences([logged, ...empty])).toEqual([logged.slice("[ERROR] : ".length)]);
  expect(withoutConsequences(["Error: no host\n    at program"])).toEqual(["Error: no host\n    at program"]);
  expect(withoutConsequences([logged, "Error: no host"])).toHaveLength(2);
  expect(withoutConsequences([serializing])).toEqual([serializing]);
  const other = 'error serializing property "host": no host';
  expect(withoutConsequences([logged, other])).toEqual([logged.slice("[ERROR] : ".length), other]);
});

test.each([
  ["wiki-application: HTTP Error '500 Internal Server Error' during request 'POST /api/v3/core/applications/'", true],
  ["wiki-application: HTTP Error '502 Bad Gateway' during request 'PATCH /api/v3/core/applications/wiki/'", true],
  ["HTTP Error '500 Internal Server Error' during request 'GET /api/v3/flows/instances/'", true],
  ["wiki-application: HTTP Error '400 Bad Request' during request 'POST /api/v3/core/applications/': 500", false],
  [`wiki-application: HTTP Error 'POST "http://127.0.0.1:9000/": connect ECONNREFUSED' without http response`, false],
])("reports whether authentik answered with 5xx: %s", (error, expected) => {
  expect(isServerError(error)).toBe(expected);
});
