/** The report, its files, and the removal of secrets. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { accessOf } from "../../../../infra/access/access.ts";
import { DEPLOYED_ACCESS, recordOf } from "../../../../infra/access/record.ts";
import { main } from "../../../../ops/commands/diagnose.ts";
import { SHELL } from "../../../helpers/shell.ts";
import { engineState } from "../../../../ops/checks/diagnose/evidence/engine.ts";
import { observe } from "../../../../ops/checks/observation.ts";
import { redactAll, redactor } from "../../../../ops/checks/redact.ts";
import { describe as page, isAnythingWrong } from "../../../../ops/checks/diagnose/report.ts";
import { writeReport } from "../../../../ops/checks/diagnose/reportFiles.ts";
import { diagnosisOf } from "../../../../ops/checks/diagnose/diagnosis.ts";
import { proxy } from "../../../config/stacks.ts";
import { planOf } from "../../../infra/plan/stacks.ts";
import { remove, ROUTE } from "./changes.ts";
import { evidenceOf, inside } from "./evidence.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "gatehouse-report-"))));
afterEach(() => rmSync(folder, { recursive: true }));

describe("redaction", () => {
  const redact = redactor(["canary-value", 'with "quotes" & signs', "short"]);

  test.each([
    ["the value itself: canary-value.", "the value itself: [redacted]."],
    ["in base64: Y2FuYXJ5LXZhbHVl", "in base64: [redacted]"],
    ['in JSON: with \\"quotes\\" & signs', "in JSON: [redacted]"],
    ["in an address: with%20%22quotes%22%20%26%20signs", "in an address: [redacted]"],
    ["a word: shortly", "a word: shortly"],
    ["Authorization: Basic b3BzOnB3", "Authorization: [redacted]"],
    ["set-cookie: authentik_session=abc; Path=/", "set-cookie: [redacted]"],
    ["sent authentik_proxy_1a2b3c4d=abc.def;", "sent authentik_proxy_1a2b3c4d=[redacted];"],
    ["used Bearer abcdef.ghi", "used Bearer [redacted]"],
    ["http://a.localhost/x?code=abc&state=def&y=1", "http://a.localhost/x?code=[redacted]&state=[redacted]&y=1"],
    ["postgres://me:pw@db/x", "postgres://[redacted]@db/x"],
    ["token eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.abc_-1 here", "token [redacted] here"],
  ])("replaces credentials only: %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test("redacts every text of a value, and nothing else", () => {
    expect(
      redactAll({ list: ["canary-value", { deep: "a canary-value" }], count: 1, none: undefined }, redact),
    ).toEqual({
      list: ["[redacted]", { deep: "a [redacted]" }],
      count: 1,
      none: undefined,
    });
  });
});

describe("report files", () => {
  test("keeps the three newest reports of all contexts, and other files", () => {
    writeFileSync(join(folder, "notes.txt"), "mine");
    for (const [day, context] of [
      [3, "b"],
      [1, "a"],
      [2, "a/../c"],
      [4, "a"],
    ] as const) {
      writeReport(folder, context, new Date(Date.UTC(2026, 10, day)), `report ${day}`);
    }
    expect(readdirSync(folder).sort()).toEqual([
      "2026-11-02T00-00-00.000Z-a_.._c.txt",
      "2026-11-03T00-00-00.000Z-b.txt",
      "2026-11-04T00-00-00.000Z-a.txt",
      "notes.txt",
    ]);
    const [newest = ""] = readdirSync(folder).sort().slice(2);
    expect(readFileSync(join(folder, newest), "utf8")).toBe("report 4");
    expect(statSync(join(folder, newest)).mode & 0o777).toBe(0o600);
  });
});

test("prints symptom, cause, evidence, hint, other causes and limits", () => {
  const evidence = evidenceOf((all) => {
    all.answers.set("http://wiki.localhost", {
      withoutSession: {
        hops: [{ url: "http://wiki.localhost/", status: 404 }],
        end: "answered",
        text: "gateway: no route",
      },
      withSession: undefined,
    });
    remove(ROUTE)(all);
    inside(all.engine).last = { kind: "update", result: "failed", ended: "2026-11-21T08:00:00.000Z" };
    all.cluster.rewrite = { unavailable: "the cluster's DNS configuration: forbidden" };
  });
  const diagnosis = diagnosisOf(evidence, "wiki.localhost");
  expect(isAnythingWrong(diagnosis)).toBe(true);
  expect(page({ ...diagnosis, warnings: [] }, (_style, text) => text)).toBe(`rancher-desktop (stack dev)

✖ http://wiki.localhost  domain not working: deployment

http://wiki.localhost
  Symptom   domain not working: 404 from the gateway: it has no route for this host
  Cause     deployment: the last deployment run failed
  Evidence  update of 2026-11-21T08:00:00.000Z: failed
  Hint      run npx gatehouse deploy rancher-desktop, which continues the last deployment
  Also      route configuration: IngressRoute default/wiki is missing, so another route may serve wiki.localhost, wiki.mesh.example.org

Not checked
  the cluster's DNS configuration: forbidden; so names inside the cluster are not checked

1 host with a symptom; cause: deployment.
`);
});

describe("observation", () => {
  test("returns the reason of a failure or a timeout", async () => {
    expect(await observe("it", () => Promise.resolve(1))).toEqual({ value: 1 });
    const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" });
    expect(await observe("it", () => Promise.reject(new Error("outer", { cause })))).toEqual({
      unavailable: "it: connect ECONNREFUSED 127.0.0.1:1",
    });
    expect(await observe("it", () => new Promise(() => undefined), 5)).toEqual({
      unavailable: "it: no answer within 0.005 s",
    });
  });

  test("reads the last update and the interrupted operations of the engine's state", () => {
    const urn = "urn:pulumi:dev::gatehouse::kubernetes:core/v1:Secret::wiki-secret";
    const stack = { urn: "stack", type: "pulumi:pulumi:Stack" };
    const deployed = accessOf(planOf({ localhost: true }, proxy({})));
    const access = { urn: "access", type: DEPLOYED_ACCESS, outputs: { ...recordOf(deployed) } };
    const resource = { urn, type: "kubernetes:core/v1:Secret" };
    const updates = [
      { kind: "refresh", result: "succeeded", endTime: "3" },
      { kind: "update", result: "failed", endTime: "2" },
    ];
    const pending = [{ resource, type: "creating" }];
    expect(engineState({ resources: [stack, resource, access], pending_operations: pending }, updates, [])).toEqual({
      deployed: true,
      pending: ["wiki-secret"],
      urls: Array.from(deployed.host.values(), ({ url }) => url),
      last: {
        kind: "update",
        result: "failed",
        ended: "2",
      },
    });
    expect(engineState({ resources: [stack] }, null, [resource])).toEqual({
      deployed: false,
      pending: ["wiki-secret"],
      urls: undefined,
      last: undefined,
    });
  });
});

describe("command line", () => {
  let output: string;
  const run = (...args: string[]): Promise<number> => {
    output = "";
    const add = (text: string): void => void (output += text);
    return main(args, { ...SHELL, project: folder, data: folder, out: add, error: add });
  };

  test("returns 2 without a context, for an unknown one, and for an invalid host", async () => {
    writeFileSync(
      join(folder, "Pulumi.dev.yaml"),
      JSON.stringify({ config: { "kubernetes:context": "rancher-desktop" } }),
    );
    expect(await run()).toBe(2);
    expect(output).toContain("missing required argument 'context'");
    expect(await run("rancher")).toBe(2);
    expect(output).toContain('no stack belongs to context "rancher".\nKnown contexts:\n  rancher-desktop (stack dev)');
    expect(await run("rancher-desktop", "not a host")).toBe(2);
    expect(output).toContain('"not a host" is neither a host nor an address');
    expect(await run("rancher-desktop")).toBe(2);
    expect(output).toContain("Pulumi.dev.yaml: ");
    expect(readdirSync(folder)).toEqual(["Pulumi.dev.yaml"]);
  });

  test("returns 0 for --help", async () => {
    expect(await run("--help")).toBe(0);
  });
});
