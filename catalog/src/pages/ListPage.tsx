import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { useLocation } from "wouter-preact";
// `useSearch` of wouter-preact decodes the query string, and URLSearchParams would decode it again.
import { useSearch } from "wouter-preact/use-browser-location";
import { type Endpoint, useEndpoints } from "../api/meta.ts";
import { Deprecated } from "../components/description/Deprecated.tsx";
import { Title } from "../components/layout/Title.tsx";
import { EndpointGroups } from "../components/list/EndpointGroups.tsx";
import { SearchBox } from "../components/list/SearchBox.tsx";
import { TagFilter } from "../components/list/TagFilter.tsx";
import { keyValue } from "../components/map/keys.ts";
import { Chips } from "../components/shared/Chips.tsx";
import { Pending } from "../components/shared/Pending.tsx";
import { Problem } from "../components/shared/Problem.tsx";
import { useText } from "../i18n/text.tsx";
import { type ListState, readList, toggled } from "../state/list.ts";
import { listPath } from "../state/paths.ts";
import { matchesText } from "../state/search.ts";
import { countTags, matchesTags } from "../state/tags.ts";

const NONE: readonly Endpoint[] = [];

/** The page `/data`: all relations that can be read, filtered by tags, text and column. The address contains the filters. */
export function ListPage(): VNode {
  const { t } = useText();
  const [, navigate] = useLocation();
  const search = useSearch();
  const state = useMemo(() => {
    const read = readList(new URLSearchParams(search));
    return { ...read, value: keyValue(read.column, read.value) };
  }, [search]);
  const { data, error, refetch, isPending } = useEndpoints(state.column);
  const all = data?.rows ?? NONE;
  const found = useMemo(() => all.filter((endpoint) => matchesText(endpoint, state.text)), [all, state.text]);
  const counts = useMemo(() => countTags(found, state.tags), [found, state.tags]);
  const shown = useMemo(() => found.filter((endpoint) => matchesTags(endpoint, state.tags)), [found, state.tags]);
  const go = (change: Partial<ListState>, replace = false): void =>
    navigate(listPath({ ...state, ...change }), { replace });
  return (
    <>
      <Title name={heading()} />
      <Deprecated deprecation={data?.deprecation} />
      <p>{t("listIntro")}</p>
      <SearchBox text={state.text} change={(text) => go({ text }, true)} />
      <Chips
        chips={chips()}
        clear={() => navigate(listPath())}
        rest={() => document.querySelector<HTMLElement>("main input[type=search]")}
      />
      {error !== null && <Problem error={error} retry={refetch} />}
      {isPending && <Pending />}
      {data && (
        <div class="sides">
          <TagFilter counts={counts} chosen={state.tags} toggle={(tag) => go({ tags: toggled(state.tags, tag) })} />
          <div>
            <p role="status">
              <strong>{t("shown", { count: shown.length, total: all.length })}</strong>
            </p>
            {shown.length === 0 && (
              <p>
                {t("nothing")} {t("nothingHelp")}
              </p>
            )}
            <EndpointGroups endpoints={shown} state={state} />
          </div>
        </div>
      )}
    </>
  );

  function heading(): string {
    if (!state.column) return t("listHeading");
    return t(state.value ? "carryingValue" : "carrying", { column: state.column, value: state.value });
  }

  function chips(): { name: string; remove: () => void }[] {
    return [
      ...(state.column ? [{ name: state.column, remove: () => go({ column: "", value: "" }) }] : []),
      ...(state.text ? [{ name: state.text, remove: () => go({ text: "" }) }] : []),
      ...state.tags.map((tag) => ({ name: tag, remove: () => go({ tags: toggled(state.tags, tag) }) })),
    ];
  }
}
