import type { ComponentChildren, VNode } from "preact";
import { Link } from "wouter-preact";
import { ApiError, type ErrorKind } from "../../api/errors.ts";
import { useText, type TextKey } from "../../i18n/text.tsx";
import { Datum } from "./Datum.tsx";

const TEXTS: Record<ErrorKind, readonly [TextKey, TextKey]> = {
  broken: ["errorBroken", "errorBrokenHelp"],
  down: ["errorDown", "errorDownHelp"],
  slow: ["errorSlow", "errorSlowHelp"],
  costly: ["errorCostly", "errorCostlyHelp"],
  busy: ["errorBusy", "errorBusyHelp"],
  missing: ["errorMissing", "errorMissingHelp"],
  refused: ["errorRefused", "errorRefusedHelp"],
  denied: ["errorDenied", "errorDeniedHelp"],
  failed: ["errorFailed", "errorFailedHelp"],
};

interface Props {
  readonly error: unknown;
  /** Repeats what failed; a part of the page that is missing needs a reload. */
  readonly retry?: () => unknown;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

/** The message and the hint of an error, and a button that retries. */
export function Problem({ error, retry, children }: Props): VNode {
  const { t } = useText();
  const known = error instanceof ApiError ? error : undefined;
  const [what, help] = TEXTS[known?.kind ?? "failed"];
  const broken = known?.kind === "broken";
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{t(what)}</strong> {t(help)}
      </p>
      {known?.status !== undefined && (
        <p>
          <small>
            <Datum>{t("errorResponse", { message: `${known.status}, ${known.message}` })}</Datum>
          </small>
        </p>
      )}
      <button type="button" onClick={() => void (broken ? location.reload() : retry?.())}>
        {t(broken ? "reload" : "retry")}
      </button>{" "}
      {children}
      {known?.kind === "missing" && <Link href="/data">{t("toList")}</Link>}
    </div>
  );
}
