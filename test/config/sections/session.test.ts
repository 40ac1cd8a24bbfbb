import { describe, expect, test } from "vitest";
import { stackSchema } from "../../../config/jsonSchema.ts";
import { parseStack } from "../../../config/load.ts";
import { problemsOf, proxy, sections, shell, stack } from "../stacks.ts";

const REASON =
  "expected at least minutes=5, because a user who needs longer at the login page than the session lasts gets an error " +
  "at the callback of authentik's outpost. Write minutes=5 or more.";

describe.each<[string, (session: string) => ReturnType<typeof stack>]>([
  ['protected_services[0].session "wiki"', (session) => stack({ protected_services: [proxy({ session })] })],
  ["identity_provider.session", (session) => stack({ identity_provider: { ...sections.identity_provider, session } })],
])("%s", (path, withSession) => {
  test.each(["seconds=0", "minutes=2", "seconds=299", "minutes=4;seconds=59", "minutes=10;minutes=2"])(
    "refuses %s",
    (session) => {
      expect(problemsOf(withSession(session))).toEqual([`${path}: found "${session}", ${REASON}`]);
    },
  );

  test.each(["minutes=5", "seconds=300", "minutes=4;seconds=60", "hours=1", "days=1", "weeks=1"])(
    "accepts %s",
    (session) => {
      expect(parseStack(withSession(session), shell).services[0]?.session).toBe(session);
    },
  );
});

test("states the minimum in the description of both fields", () => {
  const descriptions = JSON.stringify(stackSchema()).match(/"description":"Length of a session[^"]*"/g) ?? [];
  expect(descriptions).toHaveLength(3);
  for (const description of descriptions) expect(description).toContain("at least minutes=5");
});
