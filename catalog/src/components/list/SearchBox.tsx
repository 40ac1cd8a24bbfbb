import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";

/** Milliseconds without a key press after which the text is searched for. */
const PAUSE = 200;

/** The search field of the list. @param change is called on Enter and when the user pauses typing */
export function SearchBox({ text, change }: { text: string; change: (text: string) => void }): VNode {
  const { t } = useText();
  const [typed, setTyped] = useState(text);
  const timer = useRef(0);
  const reported = useRef(text);
  // The user can select another tag during the pause, and the search must not undo that.
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => {
    // Back, Forward and the removal of a filter change the text without a key press.
    if (text !== reported.current) setTyped(text);
    reported.current = text;
  }, [text]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = (value: string): void => {
    clearTimeout(timer.current);
    reported.current = value;
    latest.current(value);
  };
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search(typed);
      }}
    >
      <input
        type="search"
        aria-label={t("searchLabel")}
        placeholder={t("searchLabel")}
        value={typed}
        onInput={({ currentTarget: { value } }) => {
          setTyped(value);
          clearTimeout(timer.current);
          timer.current = window.setTimeout(() => search(value), PAUSE);
        }}
      />
    </form>
  );
}
