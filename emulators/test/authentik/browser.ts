/** A client that follows redirects between the identity provider and applications, with a cookie jar per host. */
export class Browser {
  readonly #server: string;
  readonly #applications: string[];
  readonly #outpost: string;
  readonly #cookies = new Map<string, Map<string, string>>();
  /** Every address visited, in order. */
  visited: string[] = [];
  /** Every Set-Cookie line got, in order. */
  set: string[] = [];

  /** `server` serves everything; requests to a host of `applications` pass forward auth at `outpost`, as behind Traefik. */
  constructor(server: string, applications: string[], outpost = server) {
    this.#outpost = outpost;
    this.#server = server;
    this.#applications = applications;
  }

  async request(
    address: string,
    init: { method?: string; body?: string; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const url = new URL(address);
    this.visited.push(address);
    const jar = this.#cookies.get(url.host) ?? new Map<string, string>();
    this.#cookies.set(url.host, jar);
    const forwarded = {
      "x-forwarded-proto": url.protocol.slice(0, -1),
      "x-forwarded-host": url.host,
      "x-forwarded-uri": url.pathname + url.search,
    };
    const target = this.#applications.includes(url.host)
      ? `${this.#outpost}/outpost.goauthentik.io/auth/traefik`
      : this.#server + url.pathname + url.search;
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...forwarded, ...init.headers, ...(cookie ? { cookie } : {}) };
    const answer = await fetch(target, { ...init, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      this.set.push(line);
      const [name = "", value = ""] = (line.split(";")[0] ?? "").split("=");
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  /** Follows redirects until an answer that is none; at most 15. */
  async follow(address: string): Promise<{ url: string; answer: Response }> {
    let url = address;
    for (let hops = 0; hops < 15; hops++) {
      const answer = await this.request(url);
      const location = answer.headers.get("location");
      if (location === null) return { url, answer };
      await answer.body?.cancel();
      url = new URL(location, url).href;
    }
    throw new Error(`too many redirects: ${this.visited.join(" ")}`);
  }

  /** Answers a flow's challenges, given the address of its page, and gives the last one. */
  async runFlow(page: string, answers: Record<string, unknown>[]): Promise<Record<string, unknown>> {
    const { origin, pathname, search } = new URL(page);
    const slug = pathname.split("/")[3] ?? "";
    const executor = `${origin}/api/v3/flows/executor/${slug}/?query=${encodeURIComponent(search.slice(1))}`;
    let challenge = await this.#challenge(await this.request(executor), origin);
    for (const body of answers) {
      const headers = { "content-type": "application/json" };
      const answer = await this.request(executor, { method: "POST", headers, body: JSON.stringify(body) });
      challenge = await this.#challenge(answer, origin);
    }
    return challenge;
  }

  /** Follows the executor's redirects, which lead to the executor itself. */
  async #challenge(answer: Response, origin: string): Promise<Record<string, unknown>> {
    const location = answer.headers.get("location");
    if (location !== null) return this.#challenge(await this.request(new URL(location, origin).href), origin);
    return (await answer.json()) as Record<string, unknown>;
  }
}
