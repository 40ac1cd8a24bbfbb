/** The few calls of GitHub's REST API that comments and issues need (docs.github.com/rest, version 2022-11-28). */
import { request } from "undici";

/** A refusal of the API, or an environment that names none. Holds no token. */
export class GitHubError extends Error {
  override readonly name = "GitHubError";
}

/** What a GitHub workflow tells its steps. */
export interface Account {
  /** `https://api.github.com`, or that of a server of one's own. */
  readonly url: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly token: string;
}

/** @throws GitHubError that names every variable that is missing */
export function accountOf(environment: Readonly<Record<string, string | undefined>>): Account {
  const names = ["GITHUB_API_URL", "GITHUB_REPOSITORY", "GITHUB_TOKEN"] as const;
  const missing = names.filter((name) => !environment[name]);
  if (missing.length > 0) throw new GitHubError(`${missing.join(", ")}: not set; a workflow of GitHub sets them`);
  const [url = "", repository = "", token = ""] = names.map((name) => environment[name]);
  return { url: url.replace(/\/$/, ""), repository, token };
}

export class GitHub {
  readonly #account: Account;

  constructor(account: Account) {
    this.#account = account;
  }

  /** @param path below the repository: `/pulls/1` */
  async get<T>(path: string): Promise<T> {
    return (await this.#send("GET", this.#urlOf(path))).body as T;
  }

  /** The text of a file. */
  async text(path: string): Promise<string> {
    return (await this.#send("GET", this.#urlOf(path), undefined, "application/vnd.github.raw+json")).text;
  }

  /** All pages of a list (docs.github.com, "Using pagination in the REST API"). */
  async list<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    let next: string | undefined = this.#urlOf(`${path}${path.includes("?") ? "&" : "?"}per_page=100`);
    while (next !== undefined) {
      const { body, link } = await this.#send("GET", next);
      items.push(...(body as T[]));
      next = /<([^>]+)>;\s*rel="next"/.exec(link)?.[1];
      // The token goes to nobody else.
      if (next !== undefined && new URL(next).origin !== new URL(this.#account.url).origin) next = undefined;
    }
    return items;
  }

  async write<T>(method: "POST" | "PATCH", path: string, body: unknown): Promise<T> {
    return (await this.#send(method, this.#urlOf(path), body)).body as T;
  }

  #urlOf(path: string): string {
    return `${this.#account.url}/repos/${this.#account.repository}${path}`;
  }

  async #send(method: "GET" | "POST" | "PATCH", url: string, body?: unknown, accept = "application/vnd.github+json") {
    const response = await request(url, {
      method,
      headers: {
        accept,
        authorization: `Bearer ${this.#account.token}`,
        "content-type": "application/json",
        "user-agent": "gatehouse",
        "x-github-api-version": "2022-11-28",
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) {
      const { pathname } = new URL(url);
      throw new GitHubError(
        `${method} ${pathname} was answered ${response.statusCode}; see the permissions of the job`,
      );
    }
    const link = response.headers["link"];
    const json = String(response.headers["content-type"]).includes("json") && accept.endsWith("github+json");
    return { text, link: typeof link === "string" ? link : "", body: json ? (JSON.parse(text) as unknown) : undefined };
  }
}
