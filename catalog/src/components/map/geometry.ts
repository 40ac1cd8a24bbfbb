import { useQuery, type UseQueryResult } from "@tanstack/preact-query";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import { ApiError, toApiError } from "../../api/errors.ts";
import counties from "./counties.json?url";
import type { Level } from "./keys.ts";
import municipalities from "./municipalities.json?url";

/** Properties of an area in the files. */
interface AreaProperties {
  /** Number of 2024; of 2020 for an area that was divided since. */
  readonly id: string;
  /** Number of 2020, if it was different. */
  readonly old?: string;
  readonly name: string;
}

type Boundaries = Topology<{ areas: GeometryCollection<AreaProperties> }>;

export type AreaShape = ReturnType<typeof shapesOf>["areas"][number];
export type Shapes = ReturnType<typeof shapesOf>;

const FILES: Readonly<Record<Level, string>> = { municipality: municipalities, county: counties };

/** Requests the areas of a level: in UTM zone 33, with y upwards. README.md has source and licence. */
export function useShapes(level: Level): UseQueryResult<Shapes> {
  return useQuery({
    queryKey: ["shapes", level],
    queryFn: async ({ signal }) => shapesOf(await fetchBoundaries(FILES[level], signal)),
    staleTime: Infinity,
  });
}

async function fetchBoundaries(url: string, signal: AbortSignal): Promise<Boundaries> {
  try {
    const response = await fetch(url, { signal });
    // After a new version of the catalog was deployed, its file has another name.
    if (!response.ok) throw new ApiError("broken", `HTTP ${response.status}`, response.status);
    return (await response.json()) as Boundaries;
  } catch (error) {
    throw toApiError(error);
  }
}

function shapesOf(boundaries: Boundaries) {
  const { features } = feature(boundaries, boundaries.objects.areas);
  const areas = features.map(({ geometry, properties }) => ({ type: "Feature" as const, geometry, properties }));
  return {
    areas,
    /** The borders between counties. */
    borders: mesh(boundaries, boundaries.objects.areas, (a, b) => countyOf(a) !== countyOf(b)),
    /** Ids of areas by number: that of today, and that of the year of the boundaries. */
    ids: new Map(
      areas.flatMap(({ properties: { id, old } }) => [[id, id], ...(old ? [[old, id] as const] : [])] as const),
    ),
  };
}

function countyOf(area: { properties?: unknown }): string {
  return (area.properties as AreaProperties).id.slice(0, 2);
}
