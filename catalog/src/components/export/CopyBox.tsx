import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";
import { CopyButton } from "./CopyButton.tsx";

/** Shows a text with a button that copies it. @param label the name for screen readers */
export function CopyBox({ text, label, id }: { text: string; label: string; id?: string }): VNode {
  const { t } = useText();
  const box = useRef<HTMLPreElement>(null);
  return (
    <div class="copy">
      <pre ref={box} tabIndex={0} role="region" aria-label={label} id={id}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={t("copy")} source={() => box.current} />
    </div>
  );
}
