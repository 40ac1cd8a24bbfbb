import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useText } from "../i18n/text.tsx";

/** A text to take along. Where the page may not copy (no HTTPS), it selects the text. */
export function CopyBox({ text, label }: { text: string; label: string }): VNode {
  const { t } = useText();
  const box = useRef<HTMLPreElement>(null);
  const [said, setSaid] = useState<"copied" | "copyByHand" | null>(null);
  useEffect(() => setSaid(null), [text]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("copied");
    } catch {
      if (box.current) getSelection()?.selectAllChildren(box.current);
      setSaid("copyByHand");
    }
  };
  return (
    <div class="copy">
      <pre ref={box} tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <button type="button" class="outline" onClick={() => void copy()}>
        {t("copy")}
      </button>{" "}
      <span role="status">{said && t(said)}</span>
    </div>
  );
}
