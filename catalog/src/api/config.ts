/** Where the catalogue begins: scripts are in `assets/` below it, so no page and no build needs to be told. Ends with a slash. */
export const SITE = new URL("..", import.meta.url).href;

/** The base path for the router, without a slash at the end. */
export const BASE_PATH = new URL(SITE).pathname.replace(/\/$/u, "");

export interface Config {
  /** Address of the data API, without a slash at the end. */
  readonly baseUrl: string;
}

let config: Promise<Config> | undefined;

/** What the server says about this host; asked for once, and again after a failure. */
export function loadConfig(): Promise<Config> {
  config ??= fetch(`${SITE}config.json`)
    .then(async (response) => {
      if (!response.ok) throw new Error(`config.json: ${response.status}`);
      const { baseUrl } = (await response.json()) as Config;
      return { baseUrl: baseUrl.replace(/\/$/u, "") };
    })
    .catch((error: unknown) => {
      config = undefined;
      throw error;
    });
  return config;
}
