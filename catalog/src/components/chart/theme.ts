import { useEffect, useState } from "preact/hooks";

/** Counts the changes of the theme: what is painted in the page's colours has to be painted again after each. */
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
