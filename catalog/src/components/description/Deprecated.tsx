import type { VNode } from "preact";
import type { Deprecation } from "../../api/deprecation.ts";
import { useText } from "../../i18n/text.tsx";

/** The banner of a deprecated schema; nothing for any other schema. */
export function Deprecated({ deprecation }: { deprecation: Deprecation | null | undefined }): VNode | null {
  const { t, utcDay } = useText();
  if (!deprecation) return null;
  const { since, sunset, link } = deprecation;
  return (
    <aside class="deprecated" role="note">
      <strong>{t("deprecated")}</strong> {since && t("deprecatedSince", { date: utcDay(since) })}{" "}
      {sunset && t("sunset", { date: utcDay(sunset) })} {link && <a href={link}>{t("deprecatedLink")}</a>}
    </aside>
  );
}
