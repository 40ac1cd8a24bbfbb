import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useText } from "../../i18n/text.tsx";

const PAUSE = 200;

/** Free text; what is typed is searched for when the typing pauses. */
export function SearchBox({ text, change }: { text: string; change: (text: string) => void }): VNode {
  const { t } = useText();
  const [typed, setTyped] = useState(text);
  const timer = useRef(0);
  const reported = useRef(text);
  // The user can choose another tag during the pause.
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => {
    // Back, forward and the removal of a filter change it from outside.
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
