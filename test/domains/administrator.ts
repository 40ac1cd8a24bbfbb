/** Users that an administrator creates by hand, since a stack with remote domains has no sample users. */
import { withAuthentik } from "../../infra/identity/authentikApi.ts";
import { createClient, type HttpClient } from "../../ops/clients/http.ts";

export interface TestUser {
  readonly username: string;
  readonly name: string;
  readonly password: string;
  readonly groups: readonly string[];
}

/** Long enough on a machine that is busy with other things, also with a real authentik. */
const TIMEOUT_MS = 240_000;

/** Calls authentik's API as an administrator. @throws if the response is not a success */
export class Administrator {
  readonly #client: HttpClient = createClient(undefined, TIMEOUT_MS);
  readonly #url: string;
  readonly #token: string;

  constructor(identityProvider: string, token: string) {
    this.#url = identityProvider;
    this.#token = token;
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
    const options = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await this.#client.send(`${this.#url}/api/v3${path}`, options);
    if (response.status >= 300) throw new Error(`${method} ${path} answered ${response.status}: ${response.body}`);
    return (response.body === "" ? undefined : JSON.parse(response.body)) as T;
  }

  /** Returns the objects of all pages of a list, see `AuthentikApi.all`. */
  all<T>(path: string, filters?: Readonly<Record<string, string>>): Promise<T[]> {
    return withAuthentik(this.#url, this.#token, (api) => api.all(path, filters));
  }

  /** Creates a user, and the groups that do not exist yet. */
  async create({ username, name, password, groups }: TestUser): Promise<void> {
    const ids = [];
    for (const group of groups) ids.push(await this.#groupId(group));
    const user = { username, name, email: `${username}@example.org`, path: "users", type: "internal", groups: ids };
    const { pk } = await this.call<{ pk: number }>("POST", "/core/users/", {
      ...user,
      is_active: true,
      attributes: {},
    });
    await this.call("POST", `/core/users/${pk}/set_password/`, { password });
  }

  async #groupId(name: string): Promise<string> {
    const groups = await this.all<{ pk: string; name: string }>("/core/groups/", { name });
    const found = groups.find((group) => group.name === name);
    return found?.pk ?? (await this.call<{ pk: string }>("POST", "/core/groups/", { name })).pk;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
