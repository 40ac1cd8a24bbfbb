import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { type Endpoint, useSources } from "../../api/meta.ts";
import { useText } from "../../i18n/text.tsx";
import type { ListState } from "../../state/list.ts";
import { compared } from "../../text/order.ts";
import { Stability } from "../description/Stability.tsx";
import { Datum } from "../shared/Datum.tsx";
import { EndpointItem } from "./EndpointItem.tsx";

/** The relations of the list, grouped by schema. The stable schema is first. */
export function EndpointGroups({ endpoints, state }: { endpoints: readonly Endpoint[]; state: ListState }): VNode {
  const { t, number } = useText();
  // A list without freshness is better than none: an error of this request is not shown.
  const { data, isLoading } = useSources();
  const sources = useMemo(() => data && new Map(data.rows.map((source) => [source.source_id, source])), [data]);
  const groups = [...Map.groupBy(endpoints, ({ schema }) => schema)].sort(([a, [first]], [b, [second]]) =>
    first?.stability === second?.stability ? compared(a, b) : first?.stability === "stable" ? -1 : 1,
  );
  return (
    <>
      {groups.map(([schema, members]) => {
        const stability = members[0]?.stability ?? "open";
        return (
          <section key={schema} aria-label={schema}>
            <h2>
              <Datum>{schema}</Datum> <span class="count">{number(members.length)}</span>{" "}
              <Stability stability={stability} />
            </h2>
            <p>{t(stability === "stable" ? "defaultLayer" : "otherLayer")}</p>
            <ul class="endpoints" aria-busy={isLoading}>
              {members.map((endpoint) => (
                <EndpointItem key={endpoint.relation} endpoint={endpoint} sources={sources} state={state} />
              ))}
            </ul>
          </section>
        );
      })}
    </>
  );
}
