import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";

/** Milliseconds after which the message changes. */
const SLOW = 4_000;

/** Shows that the page is loading data, and after some seconds that it takes long. @param inline whether it is inside a line of text */
export function Pending({ inline = false }: { inline?: boolean }): VNode {
  const { t } = useText();
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW);
    return () => clearTimeout(timer);
  }, []);
  const Element = inline ? "span" : "p";
  return (
    <Element role="status" aria-busy="true">
      {t(slow ? "slowLoading" : "loading")}
    </Element>
  );
}
