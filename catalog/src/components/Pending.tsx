import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useText } from "../i18n/text.tsx";

const SLOW = 4_000;

/** Says that something is on its way, and after some seconds that it takes long. */
export function Pending(): VNode {
  const { t } = useText();
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" aria-busy="true">
      {t(slow ? "slowLoading" : "loading")}
    </p>
  );
}
