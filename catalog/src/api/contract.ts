import { useQuery, type UseQueryResult } from "@tanstack/preact-query";
import { SITE } from "./config.ts";
import { ApiError } from "./errors.ts";

/** The lock file of a schema: type of each column, by relation. */
export interface Contract {
  readonly schema: string;
  readonly relations: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Requests the contract that was deployed; null if there is none. */
export function useContract(): UseQueryResult<Contract | null> {
  return useQuery({
    queryKey: ["contract"],
    queryFn: async ({ signal }) => {
      const text = await published("contract.json", signal);
      return text === null ? null : (JSON.parse(text) as Contract);
    },
  });
}

/** Requests the changelog that was deployed (Markdown); null if there is none. */
export function useChangelog(): UseQueryResult<string | null> {
  return useQuery({ queryKey: ["changelog"], queryFn: ({ signal }) => published("changelog.md", signal) });
}

async function published(name: string, signal: AbortSignal): Promise<string | null> {
  const response = await fetch(`${SITE}${name}`, { signal }).catch((error: unknown) => {
    throw new ApiError("down", String(error));
  });
  if (response.status === 404) return null;
  if (!response.ok) throw new ApiError("failed", name, response.status);
  return await response.text();
}
