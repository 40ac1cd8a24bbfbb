import { useQuery, type UseQueryResult } from "@tanstack/preact-query";
import type { Limits } from "../../../config/sections/dataApi/limits.ts";
import { toApiError } from "./errors.ts";

/** URL of the catalog, from the URL of its scripts, which are in `assets/` below it. Ends with a slash. */
export const SITE = new URL("..", import.meta.url).href;

/** The base path for the router, without a slash at the end. */
export const BASE_PATH = new URL(SITE).pathname.replace(/\/$/u, "");

interface Config {
  /** Address of the data API, without a slash at the end. */
  readonly baseUrl: string;
  /** What the data API allows. */
  readonly limits: Limits;
}

let config: Promise<Config> | undefined;

/** Returns the configuration of this host; requests it once, and again after a failure. Throws ApiError. */
export function loadConfig(): Promise<Config> {
  config ??= fetch(`${SITE}config.json`)
    .then(async (response) => {
      if (!response.ok) throw new Error(`config.json: ${response.status}`);
      const { baseUrl, limits } = (await response.json()) as Config;
      return { baseUrl: baseUrl.replace(/\/$/u, ""), limits };
    })
    .catch((error: unknown) => {
      config = undefined;
      throw toApiError(error);
    });
  return config;
}

/** Loads the configuration for a component, see {@link loadConfig}. */
export function useConfig(): UseQueryResult<Config> {
  return useQuery({ queryKey: ["config"], queryFn: loadConfig });
}
