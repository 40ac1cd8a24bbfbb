import type { VNode } from "preact";
import { type Language, useText } from "../../i18n/text.tsx";

const NAMES: Record<Language, string> = { nb: "Norsk (bokmål)", en: "English" };

/** Selects the language of the page; the browser stores it. */
export function LanguageSwitch(): VNode {
  const { t, language, setLanguage } = useText();
  return (
    <select
      aria-label={t("language")}
      value={language}
      onChange={({ currentTarget }) => setLanguage(currentTarget.value as Language)}
    >
      {Object.entries(NAMES).map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}
