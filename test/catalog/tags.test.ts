import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countTags, matchesTags, namespaceOf, valueOf } from "../../catalog/src/state/tags.ts";

const NAMESPACES = ["provider", "topic", "geo", "cadence", "eu_theme", "layer"];
const tag = fc
  .tuple(fc.constantFrom(...NAMESPACES), fc.constantFrom("a", "b", "c:d", "æ"))
  .map(([namespace, value]) => `${namespace}:${value}`);
const tags = fc.uniqueArray(tag, { maxLength: 8 });
const endpoints = fc.array(fc.record({ tags }), { maxLength: 20 });

/** The rule of docs/catalog.md (Addresses): AND across namespaces, OR within a namespace. */
function chosenByRule(has: readonly string[], chosen: readonly string[]): boolean {
  return NAMESPACES.every((namespace) => {
    const wanted = chosen.filter((candidate) => candidate.startsWith(`${namespace}:`));
    return wanted.length === 0 || wanted.some((candidate) => has.includes(candidate));
  });
}

describe("the tag filter", () => {
  test("selects endpoints by the rule of the tags, for any endpoints and tags", () => {
    fc.assert(
      fc.property(endpoints, tags, (all, chosen) => {
        expect(all.filter((endpoint) => matchesTags(endpoint, chosen))).toEqual(
          all.filter((endpoint) => chosenByRule(endpoint.tags, chosen)),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("counts for each tag the endpoints that it would select in place of the other tags of its namespace", () => {
    fc.assert(
      fc.property(endpoints, tags, (all, chosen) => {
        for (const [counted, count] of countTags(all, chosen)) {
          const others = chosen.filter((candidate) => namespaceOf(candidate) !== namespaceOf(counted));
          expect(count).toBe(all.filter((endpoint) => chosenByRule(endpoint.tags, [...others, counted])).length);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("lists every existing tag and every selected tag", () => {
    const counts = countTags([{ tags: ["topic:a", "geo:b"] }, { tags: [] }], ["topic:gone"]);
    expect(Object.fromEntries(counts)).toEqual({ "topic:gone": 0, "topic:a": 1, "geo:b": 0 });
  });

  test("splits a tag at its first colon", () => {
    expect([namespaceOf("topic:a:b"), valueOf("topic:a:b"), namespaceOf("plain")]).toEqual(["topic", "a:b", ""]);
  });
});
