import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { download, type Format, MAX_ROWS } from "../../api/download.ts";
import type { EndpointDetails } from "../../api/meta.ts";
import { isCompletelyOrdered, viewRequest } from "../../api/request.ts";
import { useText } from "../../i18n/text.tsx";
import type { Column } from "../../state/columns.ts";
import type { ViewState } from "../../state/view.ts";
import { Problem } from "../shared/Problem.tsx";

interface Props {
  readonly endpoint: EndpointDetails;
  readonly view: ViewState;
  /** The columns of the file. */
  readonly columns: readonly Column[];
}

type State =
  | { readonly at: "idle" }
  | { readonly at: "busy" | "done" | "cut"; readonly rows: number }
  | { readonly at: "failed"; readonly error: unknown; readonly format: Format };

/** Buttons that save all matching rows as a file, and the progress. */
export function Download({ endpoint, view, columns }: Props): VNode {
  const { t } = useText();
  const [state, setState] = useState<State>({ at: "idle" });
  const running = useRef<AbortController | null>(null);
  // The user would not expect a file from a page that they left.
  useEffect(() => () => running.current?.abort(), []);
  const save = async (format: Format): Promise<void> => {
    const controller = new AbortController();
    running.current = controller;
    setState({ at: "busy", rows: 0 });
    const request = viewRequest(endpoint, view);
    const all = { ...request, params: request.params.filter(([name]) => name !== "limit" && name !== "offset") };
    const progress = (rows: number): void => setState({ at: "busy", rows });
    try {
      const names = columns.map(({ name }) => name);
      const { file, rows, cut } = await download(all, names, format, progress, controller.signal);
      controller.signal.throwIfAborted();
      offer(file, `${endpoint.schema}.${endpoint.relation}.${format}`);
      setState({ at: cut ? "cut" : "done", rows });
    } catch (error) {
      setState(controller.signal.aborted ? { at: "idle" } : { at: "failed", error, format });
    }
  };
  return (
    <details class="filter">
      <summary>{t("downloadHeading")}</summary>
      <p>
        <small>
          {t("downloadHelp", { max: MAX_ROWS })} {!isCompletelyOrdered(endpoint) && t("downloadUnordered")}
        </small>
      </p>
      <div role="group">
        <button type="button" disabled={state.at === "busy"} onClick={() => void save("csv")}>
          {t("downloadCsv")}
        </button>
        <button type="button" disabled={state.at === "busy"} onClick={() => void save("json")}>
          {t("downloadJson")}
        </button>
        {state.at === "busy" && (
          <button type="button" class="outline" onClick={() => running.current?.abort()}>
            {t("cancel")}
          </button>
        )}
      </div>
      <p role="status">
        {state.at === "busy" && t("downloading", { count: state.rows })}
        {state.at === "done" && t("downloaded", { count: state.rows })}
        {state.at === "cut" && t("downloadCut", { count: state.rows })}
      </p>
      {state.at === "failed" && <Problem error={state.error} retry={() => save(state.format)} />}
    </details>
  );
}

/** Lets the browser save a file. */
function offer(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name.replace(/[^\p{L}\p{N}._-]/gu, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
