import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { withClient } from "../../../ops/clients/http.ts";
import { receivedHeaders } from "../../../ops/checks/verify/echo.ts";

const PROGRAM = join(import.meta.dirname, "../../programs/whoami.ts");

test("returns identity headers as UTF-8, as text and as JSON", async () => {
  const url = await start();
  await withClient(async (client) => {
    const headers = { "X-Idp-Name": Buffer.from("Kåre Ødegård 漢字").toString("latin1") };
    const { body } = await vi.waitFor(() => client.send(url, { headers }), 240_000);
    expect(receivedHeaders(body).get("x-idp-name")).toEqual(["Kåre Ødegård 漢字"]);
    const json = JSON.parse((await client.send(`${url}/api`, { headers })).body) as { headers: object };
    expect(json.headers).toMatchObject({ "X-Idp-Name": ["Kåre Ødegård 漢字"] });
  });
});

async function start(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  const program = spawn(process.execPath, [PROGRAM, "--port", `${port}`], { stdio: "inherit" });
  onTestFinished(() => void program.kill());
  return `http://127.0.0.1:${port}`;
}
