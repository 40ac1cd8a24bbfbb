import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mayServe, namedHosts, parseMatcher, withoutValues } from "../../manifests/matcher.ts";
import { type Drawn, matchesRequest, matchers, textOf } from "./matchers.ts";
import { samples } from "../helpers/full.ts";

describe("Traefik's rules", () => {
  test.each<[string, boolean, readonly string[] | undefined]>([
    ["Host(`a.example.org`)", true, ["a.example.org"]],
    ["Host(`A.Example.ORG.`)", true, ["a.example.org"]],
    ['Host("a.example.org") && Path("/x")', true, ["a.example.org"]],
    ["Host(`b.example.org`)", false, ["b.example.org"]],
    ["Host(`a.example.org`, `b.example.org`)", true, ["a.example.org", "b.example.org"]],
    ["HostHeader(`a.example.org`)", true, ["a.example.org"]],
    ["Host(`*.example.org`)", true, undefined],
    ["HostSNI(`*`)", true, undefined],
    ["HostRegexp(`^.+[.]example[.]org$`)", true, undefined],
    ["HostRegexp(`^b[.]`)", false, undefined],
    ["HostRegexp(`(?i)^A[.]`)", true, undefined],
    ["HostRegexp(`{sub:[a-z]+}.example.org`)", true, undefined],
    ["HostRegexp(`\\Ab`)", true, undefined],
    ["HostRegexp(`[[:alpha:]]+[.]nowhere`)", true, undefined],
    // Go drops carriage returns in raw strings.
    ["Host(`a.\rexample.org`)", true, ["a.example.org"]],
    // Traefik also compares a pattern with the flattened CNAME, and HostSNIRegexp with the server name: both can be empty.
    ["HostRegexp(`^$`)", true, undefined],
    ["HostRegexp(`^(b[.]example[.]org)?$`)", true, undefined],
    ["HostSNIRegexp(`^$`)", true, undefined],
    ["!HostSNIRegexp(`^$`)", true, undefined],
    ["HostRegexp(`^a[.]example[.]org[.]$`)", true, undefined],
    // Patterns are case-sensitive.
    ["!HostRegexp(`^A[.]`)", true, undefined],
    ["!HostRegexp(`.*`)", false, undefined],
    ["PathPrefix(`/`)", true, undefined],
    ["!Host(`b.example.org`)", true, undefined],
    ["!Host(`a.example.org`)", false, undefined],
    ["Host(`b.example.org`) || PathPrefix(`/x`)", true, undefined],
    ["Host(`b.example.org`) && (PathPrefix(`/x`) || Host(`a.example.org`))", false, ["b.example.org"]],
    ["Host(`b.example.org`) || Host(`a.example.org`) && Method(`GET`)", true, ["b.example.org", "a.example.org"]],
    ["Host(`a.example.org`", true, undefined],
    ["Host(b.example.org)", true, undefined],
    ["", true, undefined],
  ])("are compared with a host: %s", (text, serves, hosts) => {
    const matcher = parseMatcher(text);
    expect(mayServe(matcher, "a.example.org")).toBe(serves);
    const named = namedHosts(matcher);
    expect(named && [...named]).toEqual(hosts);
  });

  test("are never reported as closed if a request can match them", () => {
    const requests = fc.tuple(
      fc.constantFrom("a.example.org", "b.example.org"),
      fc.array(fc.boolean(), { maxLength: 8 }),
    );
    const property = fc.property(matchers, requests, (drawn: Drawn, [host, others]) => {
      const parsed = parseMatcher(textOf(drawn));
      expect(parsed).not.toBeUndefined();
      if (matchesRequest(drawn, host, [...others])) expect(mayServe(parsed, host)).toBe(true);
      const named = namedHosts(parsed);
      if (named && matchesRequest(drawn, host, [...others])) expect([...named]).toContain(host);
    });
    fc.assert(property, samples(1000));
  });
});

test.each([
  ["Host(`a.test`) && Header(`X-CDN`, `secret`)", "Host(`a.test`) && Header(`X-CDN`, `…`)"],
  ['!headerregexp( "X-CDN" , "^se\\"cret$" ) || Path(`/x`)', '!headerregexp( "X-CDN" , "…" ) || Path(`/x`)'],
  ["(Query(`token`, `secret`) || QueryRegexp(`token`, `^s`))", "(Query(`token`, `…`) || QueryRegexp(`token`, `…`))"],
  ["Query(`token`)", "Query(`token`)"],
  // The syntax of Traefik 2.
  ["Query(`token=secret`, `b=c`) && Headers(`X-CDN`, `s`)", "Query(`token=…`, `…`) && Headers(`X-CDN`, `…`)"],
  // Text in other matchers, and rules that cannot be parsed.
  ["Path(`/header(`) && Header(`X-CDN`, `secret`)", "Path(`/header(`) && Header(`X-CDN`, `…`)"],
  ["Header(`X-CDN`, `secret", "Header(`X-CDN`, `…`"],
  ["HostHeader(`a.test`) && PathPrefix(`/x`)", "HostHeader(`a.test`) && PathPrefix(`/x`)"],
])("the values of headers and queries of %s are replaced", (text, shown) => {
  expect(withoutValues(text)).toBe(shown);
});
