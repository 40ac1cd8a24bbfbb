import type { VNode } from "preact";

interface Props<T extends string> {
  /** Id of the element that names the group. */
  readonly label: string;
  readonly names: readonly T[];
  readonly chosen: T;
  readonly choose: (name: T) => void;
  /** Returns the text of a button; without it, the name is the text. */
  readonly textOf?: (name: T) => string;
}

/** A group of buttons, exactly one of which is pressed. */
export function Choices<T extends string>({ label, names, chosen, choose, textOf }: Props<T>): VNode {
  return (
    <div role="group" aria-labelledby={label} class="choice">
      {names.map((name) => (
        <button key={name} type="button" class="outline" aria-pressed={name === chosen} onClick={() => choose(name)}>
          {textOf ? textOf(name) : name}
        </button>
      ))}
    </div>
  );
}
