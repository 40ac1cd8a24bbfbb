import type { VNode } from "preact";
import { useEndpoint } from "../api/meta.ts";
import { EndpointView } from "../components/EndpointView.tsx";
import { Pending } from "../components/Pending.tsx";
import { Problem } from "../components/Problem.tsx";
import { NotFoundPage } from "./NotFoundPage.tsx";

/** The viewer of one relation, once it is known what that is. */
export function TablePage({ schema, relation }: { schema: string; relation: string }): VNode {
  const { data, error, refetch } = useEndpoint(schema, relation);
  const endpoint = data?.rows[0];
  if (endpoint) return <EndpointView endpoint={endpoint} />;
  if (error) return <Problem error={error} retry={refetch} />;
  return data ? <NotFoundPage /> : <Pending />;
}
