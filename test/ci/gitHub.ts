/** A small GitHub: the documented REST endpoints that comments and issues need, over a repository on disk, with pages of two. */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface Note {
  readonly id: number;
  body: string;
  state: string;
  readonly user: { readonly login: string; readonly type: string };
}

export const TOKEN = "canary-token-7f3a";
const BOT = { login: "github-actions[bot]", type: "Bot" };
const PAGE = 2;

export class GitHubDouble {
  readonly comments: Note[] = [];
  readonly issues: Note[] = [];
  pulls: { number: number; head: { sha: string }; base: { sha: string } }[] = [];
  /** Every request that wrote something: `POST /issues/1/comments`. */
  readonly writes: string[] = [];
  readonly #clone: string;
  readonly #server: Server;
  #next = 100;

  /** @param clone folder of the git repository whose files it shows */
  constructor(clone: string) {
    this.#clone = clone;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async start(): Promise<string> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  note(list: Note[], body: string, user: Note["user"]): Note {
    const note = { id: this.#next++, body, state: "open", user };
    list.push(note);
    return note;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", `http://${request.headers.host ?? ""}`);
    const path = url.pathname.replace("/repos/example/platform", "");
    const reply = (status: number, body: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
      response.end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return reply(401, { message: "Bad credentials" });
    if (request.method !== "GET") {
      this.writes.push(`${request.method ?? ""} ${path}`);
      const sent = JSON.parse(await text(request)) as { body?: string; state?: string };
      if ((sent.body?.length ?? 0) > 65_536) return reply(422, { message: "Body is too long" });
      return reply(request.method === "POST" ? 201 : 200, this.#write(path, sent));
    }
    if (path === "/pulls") return this.#page(url, this.pulls, reply);
    if (/^\/issues\/\d+\/comments$/.test(path)) return this.#page(url, this.comments, reply);
    if (path === "/issues") {
      const open = this.issues.filter(({ state }) => state === "open");
      return this.#page(
        url,
        open.map((issue) => ({ ...issue, number: issue.id })),
        reply,
      );
    }
    const compared = /^\/compare\/([0-9a-f]+)\.\.\.([0-9a-f]+)$/.exec(path);
    if (compared)
      return reply(200, { merge_base_commit: { sha: this.#git("merge-base", ...compared.slice(1)).trim() } });
    const commit = url.searchParams.get("ref") ?? "";
    if (path === "/contents/") {
      const names = this.#git("ls-tree", "--name-only", commit).trim().split("\n");
      return reply(
        200,
        names.map((name) => ({ name, type: name.includes(".") ? "file" : "dir" })),
      );
    }
    const file = /^\/contents\/([^/]+)$/.exec(path)?.[1];
    if (file === undefined) return reply(404, { message: "Not Found" });
    response.writeHead(200, { "content-type": "application/vnd.github.raw+json; charset=utf-8" });
    response.end(this.#git("show", `${commit}:${decodeURIComponent(file)}`));
  }

  #write(path: string, { body, state }: { body?: string; state?: string }): unknown {
    const id = Number(/(\d+)$/.exec(path)?.[1]);
    const known = [...this.comments, ...this.issues].find((note) => note.id === id);
    const note = known ?? this.note(path === "/issues" ? this.issues : this.comments, body ?? "", BOT);
    note.body = body ?? note.body;
    note.state = state ?? note.state;
    return { ...note, number: note.id };
  }

  /** GitHub docs, "Using pagination in the REST API": the next page is in the header Link. */
  #page(
    url: URL,
    all: readonly unknown[],
    reply: (status: number, body: unknown, headers: Record<string, string>) => void,
  ) {
    const page = Number(url.searchParams.get("page") ?? 1);
    const next = new URL(url);
    next.searchParams.set("page", String(page + 1));
    const more = all.length > page * PAGE;
    reply(200, all.slice((page - 1) * PAGE, page * PAGE), more ? { link: `<${next.href}>; rel="next"` } : {});
  }

  #git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.#clone, encoding: "utf8" });
  }
}
