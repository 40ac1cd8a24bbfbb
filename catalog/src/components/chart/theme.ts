import { useEffect, useState } from "preact/hooks";

/** Returns the number of changes of the theme, after each of which a canvas has to be drawn again. */
export function useThemeChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = (): void => setChanges((count) => count + 1);
    const device = matchMedia("(prefers-color-scheme: dark)");
    const chosen = new MutationObserver(changed);
    chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    device.addEventListener("change", changed);
    return () => {
      chosen.disconnect();
      device.removeEventListener("change", changed);
    };
  }, []);
  return changes;
}
