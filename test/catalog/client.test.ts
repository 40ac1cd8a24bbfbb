import { HTTPError } from "ky";
import { afterEach, expect, test, vi } from "vitest";
import { fetchRows } from "../../catalog/src/api/client.ts";
import { type ApiError, toApiError } from "../../catalog/src/api/errors.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Replaces the responses of the data API. */
function respondWith(response: (request: Request) => Response | Promise<Response>): void {
  const settings = { baseUrl: "http://data.localhost", limits: { inFlight: 6, statementTimeout: 60_000 } };
  vi.stubGlobal("fetch", async (input: Request | string) =>
    typeof input === "string" ? Response.json(settings) : response(input),
  );
}

test("waits longer than a query may take, so that the database can report that it stopped one", async () => {
  vi.useFakeTimers();
  const stopped = { code: "57014", message: "canceling statement due to statement timeout" };
  respondWith(
    () => new Promise((resolve) => void setTimeout(resolve, 60_500, Response.json(stopped, { status: 500 }))),
  );
  const outcome = expect(fetchRows({ relation: "x", params: [] })).rejects.toMatchObject({ kind: "costly" });
  await vi.advanceTimersByTimeAsync(60_500);
  await outcome;
});

test("reports a response that does not start as slow, ten seconds after a query may end", async () => {
  vi.useFakeTimers();
  respondWith(() => new Promise(() => undefined));
  let error: unknown;
  fetchRows({ relation: "x", params: [] }).catch((thrown: unknown) => (error = thrown));
  await vi.advanceTimersByTimeAsync(69_000);
  expect(error).toBeUndefined();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(error).toMatchObject({ name: "ApiError", kind: "slow" });
});

test("reports a response whose body stalls as slow", async () => {
  vi.useFakeTimers();
  const bodies = vi.fn<(request: Request) => Response>(
    ({ signal }) =>
      new Response(
        new ReadableStream({
          start: (body) => signal.addEventListener("abort", () => body.error(signal.reason)),
        }),
      ),
  );
  respondWith(bodies);
  const rows = fetchRows({ relation: "x", params: [] });
  const outcome = expect(rows).rejects.toMatchObject({ name: "ApiError", kind: "slow" });
  await vi.waitFor(() => expect(bodies).toHaveBeenCalled());
  await vi.advanceTimersByTimeAsync(61_000);
  await outcome;
});

test("waits for a slow response as long as parts of it arrive", async () => {
  vi.useFakeTimers();
  const parts = ["[", '{"id":1}', ",", '{"id":2}', "]"];
  const slowly = ({ signal }: Request): ReadableStream =>
    new ReadableStream({
      start: async (body) => {
        signal.addEventListener("abort", () => body.error(signal.reason));
        for (const part of parts) {
          await new Promise((resolve) => void setTimeout(resolve, 25_000));
          body.enqueue(new TextEncoder().encode(part));
        }
        body.close();
      },
    });
  respondWith((request) => new Response(slowly(request)));
  const response = fetchRows({ relation: "x", params: [] });
  await vi.advanceTimersByTimeAsync(300_000);
  expect((await response).rows).toEqual([{ id: 1 }, { id: 2 }]);
});

test("reports an operator that a type does not have as a refused request, which PostgREST answers with 404", () => {
  const error = new HTTPError(new Response(null, { status: 404 }), new Request("http://data.localhost"), {} as never);
  error.data = { code: "42883", message: "could not identify an ordering operator for type json" };
  expect((toApiError(error) as ApiError).kind).toBe("refused");
});
