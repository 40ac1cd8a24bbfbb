import type { VNode } from "preact";
import { useChangelog } from "../../api/contract.ts";
import { useText } from "../../i18n/text.tsx";
import { type Block, blocksOf } from "../../text/changelog.ts";
import { Datum } from "../shared/Datum.tsx";
import { Problem } from "../shared/Problem.tsx";

const ELEMENTS = { heading: "h3", item: "p", paragraph: "p" } as const;

/** The changelog of the contract, as the deployed file has it. */
export function Changelog(): VNode {
  const { t } = useText();
  const { data, error, refetch } = useChangelog();
  return (
    <section aria-labelledby="changelog">
      <h2 id="changelog">{t("changelogHeading")}</h2>
      {error !== null && <Problem error={error} retry={refetch} />}
      {data === null && <p>{t("contractNone")}</p>}
      {data && blocksOf(data).map((block, index) => <Part key={index} block={block} />)}
    </section>
  );
}

function Part({ block: { kind, text } }: { block: Block }): VNode {
  const Element = ELEMENTS[kind];
  return (
    <Element class={kind}>
      <Datum>{text}</Datum>
    </Element>
  );
}
