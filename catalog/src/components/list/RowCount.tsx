import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Endpoint } from "../../api/meta.ts";
import { useTotal } from "../../api/rows.ts";
import { useText } from "../../i18n/text.tsx";

/** Shows the number of rows of a relation: the estimate, or else a count, which is requested when the card is scrolled into view. */
export function RowCount({ endpoint }: { endpoint: Endpoint }): VNode {
  const { t } = useText();
  const { row_estimate: count, type } = endpoint;
  if (count === null) return <CountedRows endpoint={endpoint} />;
  // The estimate of a view is that of the table that it reads; the view can have fewer rows.
  return <span>{t(type === "view" ? "ofAboutRows" : "aboutRows", { count })}</span>;
}

function CountedRows({ endpoint }: { endpoint: Endpoint }): VNode {
  const { t } = useText();
  const element = useRef<HTMLSpanElement>(null);
  const [wasVisible, setVisible] = useState(false);
  const { data } = useTotal(endpoint, wasVisible);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      setVisible(true);
      observer.disconnect();
    });
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return <span ref={element}>{typeof data === "number" ? t("countedRows", { count: data }) : t("notCounted")}</span>;
}
