import type { VNode } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";
import { remember, remembered } from "../../state/preferences.ts";

const KEY = "theme";
const THEMES = { auto: "themeAuto", light: "themeLight", dark: "themeDark" } as const;

/** Selects the light or dark theme, or that of the device; the browser stores it. */
export function ThemeSwitch(): VNode {
  const { t } = useText();
  const [theme, setTheme] = useState(remembered(KEY) ?? "auto");
  useLayoutEffect(() => {
    const { dataset } = document.documentElement;
    if (theme === "auto") delete dataset["theme"];
    else dataset["theme"] = theme;
    remember(KEY, theme);
  }, [theme]);
  return (
    <select aria-label={t("theme")} value={theme} onChange={({ currentTarget }) => setTheme(currentTarget.value)}>
      {Object.entries(THEMES).map(([name, key]) => (
        <option key={name} value={name}>
          {t(key)}
        </option>
      ))}
    </select>
  );
}
