import { expect, test } from "vitest";
import { accessOf } from "../../../infra/access/access.ts";
import { accessIn, recordOf } from "../../../infra/access/record.ts";
import type { Plan } from "../../../infra/plan/types.ts";
import { accessChanges } from "../../../ops/deployment/access.ts";
import type { Paint } from "../../../ops/terminal/paint.ts";
import { proxy } from "../../config/stacks.ts";
import { planOf } from "../../infra/plan/stacks.ts";

const plain: Paint = (_, text) => text;
const board = (...publicPaths: string[]): Plan =>
  planOf({ localhost: true }, proxy({ name: "board", application_slug: "board", public_paths: publicPaths }));
const recorded = (plan: Plan) => accessIn(recordOf(accessOf(plan)));

/** Deploys a plan after one deployment that completed and others that did not. */
function changesOf(complete: Plan, incomplete: readonly Plan[], after: Plan) {
  const { opening, report } = accessChanges(
    { access: recorded(complete), incomplete: incomplete.map(recorded) },
    after,
  );
  return { opening, text: report(plain) };
}

test("reports no changes when the last deployment completed", () => {
  expect(changesOf(board(), [], board())).toEqual({ opening: 0, text: "Access: no changes" });
});

test("reports what a revert takes back from a deployment that did not complete", () => {
  expect(changesOf(board(), [board("/open")], board())).toEqual({
    opening: 0,
    text: [
      "Access: no changes since the last complete deployment",
      "",
      "A deployment did not complete, and its changes can be in effect. Compared with it:",
      "Less access",
      "  - http://board.localhost",
      "      a session is needed again for /open",
      "",
      "1 statement takes access away.",
    ].join("\n"),
  });
});

test("counts what a deployment that did not complete can have closed as opening to the public", () => {
  expect(changesOf(board("/open"), [board()], board("/open"))).toEqual({
    opening: 1,
    text: [
      "Access: no changes since the last complete deployment",
      "",
      "A deployment did not complete, and its changes can be in effect. Compared with it:",
      "Opens to the public",
      "  ✖ http://board.localhost",
      "      open to everyone, without a session: /open",
      "",
      "1 statement opens something to the public.",
    ].join("\n"),
  });
});

test("reports the changes once when the same plan is deployed again, and each that other plans have made", () => {
  const opened = [
    "Access",
    "Opens to the public",
    "  ✖ http://board.localhost",
    "      open to everyone, without a session: /open",
    "",
    "1 statement opens something to the public.",
    "",
  ];
  expect(changesOf(board(), [board("/open")], board("/open"))).toEqual({
    opening: 1,
    text: [...opened, "A deployment did not complete, and its changes can be in effect."].join("\n"),
  });
  expect(changesOf(board(), [board("/open", "/a"), board("/open", "/b")], board("/open"))).toEqual({
    opening: 1,
    text: [
      ...opened,
      "2 deployments did not complete, and their changes can be in effect. Compared with them:",
      "Less access",
      "  - http://board.localhost",
      "      a session is needed again for /a",
      "  - http://board.localhost",
      "      a session is needed again for /b",
      "",
      "2 statements take access away.",
    ].join("\n"),
  });
});
