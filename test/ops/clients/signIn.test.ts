import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { withClient } from "../../../ops/clients/http.ts";
import { signIn } from "../../../ops/clients/signIn.ts";

test("continues with the current stage if a worker process has passed one before it failed", async () => {
  const stages = ["ak-stage-identification", "ak-stage-password", "xak-flow-redirect"];
  const answered: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const path = request.url ?? "";
      if (path === "/") return response.writeHead(302, { location: "/if/flow/login/" }).end();
      if (path === "/home" || path.startsWith("/if/")) return response.end("page");
      if (request.method !== "POST") return response.end(JSON.stringify({ component: stages[0], to: "/home" }));
      answered.push((JSON.parse(body) as { component: string }).component);
      stages.shift();
      return response.writeHead(answered.length === 1 ? 500 : 302).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const credentials = { username: "ada", password: "canary" };
    const { url: page } = await withClient((client) => signIn(client, `${url}/`, credentials));
    expect([page, answered]).toEqual([`${url}/home`, ["ak-stage-identification", "ak-stage-password"]]);
  } finally {
    server.close();
  }
});
