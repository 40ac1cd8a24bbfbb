import type { ComponentChildren, VNode } from "preact";
import { useEffect } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";
import { visible } from "../../text/visible.ts";

/** The heading of a page. It is also the title of the document. */
export function Title({ name, children }: { name: string; children?: ComponentChildren }): VNode {
  const { t } = useText();
  useEffect(() => {
    document.title = `${visible(name)} – ${t("title")}`;
  }, [name, t]);
  return (
    <h1>
      <bdi>{visible(name)}</bdi> {children}
    </h1>
  );
}
