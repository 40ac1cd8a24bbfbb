import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";

interface Props {
  readonly text: string;
  readonly label: string;
  /** Returns the element that shows the text. */
  readonly source: () => Element | null;
  readonly class?: string;
}

/** A button that copies a text. Without HTTPS the browser does not allow that, and the button selects the text instead. */
export function CopyButton({ text, label, source, class: style = "outline" }: Props): VNode {
  const { t } = useText();
  const [result, setResult] = useState<"copied" | "copyByHand" | null>(null);
  useEffect(() => setResult(null), [text]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setResult("copied");
    } catch {
      const element = source();
      element?.scrollIntoView({ block: "nearest" });
      if (element) getSelection()?.selectAllChildren(element);
      setResult("copyByHand");
    }
  };
  return (
    <>
      <button type="button" class={style} onClick={() => void copy()}>
        {label}
      </button>{" "}
      <span role="status">{result && t(result)}</span>
    </>
  );
}
