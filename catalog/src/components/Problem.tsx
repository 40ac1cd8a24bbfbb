import type { VNode } from "preact";
import { Link } from "wouter-preact";
import { ApiError, type Fault } from "../api/errors.ts";
import { useText, type WordKey } from "../i18n/text.tsx";
import { Datum } from "./Datum.tsx";

const WORDS: Record<Fault, readonly [WordKey, WordKey]> = {
  down: ["errorDown", "errorDownHelp"],
  slow: ["errorSlow", "errorSlowHelp"],
  costly: ["errorCostly", "errorCostlyHelp"],
  busy: ["errorBusy", "errorBusyHelp"],
  missing: ["errorMissing", "errorMissingHelp"],
  refused: ["errorRefused", "errorRefusedHelp"],
  failed: ["errorFailed", "errorFailedHelp"],
};

/** What went wrong and what to do about it. */
export function Problem({ error, retry }: { error: unknown; retry: () => unknown }): VNode {
  const { t } = useText();
  const known = error instanceof ApiError ? error : undefined;
  const [what, help] = WORDS[known?.fault ?? "failed"];
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{t(what)}</strong> {t(help)}
      </p>
      {known?.status !== undefined && (
        <p>
          <small>
            <Datum>{t("errorAnswer", { message: `${known.status}, ${known.message}` })}</Datum>
          </small>
        </p>
      )}
      <button type="button" onClick={() => void retry()}>
        {t("retry")}
      </button>{" "}
      {known?.fault === "missing" && <Link href="/data">{t("toList")}</Link>}
    </div>
  );
}
