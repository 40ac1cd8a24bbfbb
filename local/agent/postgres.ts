/**
 * Runs the server of the image `postgres` from the npm binaries, on the Pod's address. Arguments: IP, then
 * those of the server. Environment as the image's: PGDATA, POSTGRES_PASSWORD_FILE or POSTGRES_PASSWORD. Runs in `<data>/pods/<pod>`.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { prepareServer } from "../platform/postgres.ts";

const [ip = "", ...own] = process.argv.slice(2);
const { PGDATA = "", POSTGRES_PASSWORD = "", POSTGRES_PASSWORD_FILE: file } = process.env;
const password = file ? readFileSync(file, "utf8") : POSTGRES_PASSWORD;
if (!PGDATA || !password) throw new Error("image postgres: set PGDATA and POSTGRES_PASSWORD");

const { command, args, cwd, account } = prepareServer(path.resolve("../.."), PGDATA, password, `${ip}:5432`);
const ids = account && { uid: account.uid, gid: account.gid };
const server = spawn(command, [...args, ...own], { cwd, stdio: "inherit", ...ids });
server.once("exit", (code) => process.exit(code ?? 1));
// The STOPSIGNAL of the image, which does not wait for clients.
process.on("SIGTERM", () => server.kill("SIGINT"));
