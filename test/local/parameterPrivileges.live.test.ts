/** An administrator without superuser rights that may set a parameter, but not let others set it. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ADMINISTRATOR, type DataApi, startDataApi } from "./postgrest.ts";

let api: DataApi;
beforeAll(async () => {
  api = await startDataApi({
    superuser: false,
    writers: [],
    exposed: ["api_v1"],
    private: [],
    hidden: [],
    content: `create schema api_v1 authorization ${ADMINISTRATOR}; create table api_v1.k (id integer);
      alter table api_v1.k owner to ${ADMINISTRATOR}; grant set on parameter log_min_messages to ${ADMINISTRATOR}`,
  });
});
afterAll(() => api.stop());

test("a response 304 does not need a privilege that the anonymous role lacks", async () => {
  await vi.waitFor(async () => {
    const { status, headers } = await api.get("/k");
    expect(status).toBe(200);
    expect((await api.get("/k", { "if-none-match": String(headers["etag"]) })).status).toBe(304);
  }, 240_000);
});
