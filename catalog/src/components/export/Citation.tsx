import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { EndpointDetails } from "../../api/meta.ts";
import { useText } from "../../i18n/text.tsx";
import type { ViewState } from "../../state/view.ts";
import { Choices } from "../shared/Choices.tsx";
import { CopyBox } from "./CopyBox.tsx";
import { CopyButton } from "./CopyButton.tsx";
import { type Format, FORMATS, useCitation } from "./useCitation.ts";

interface Props {
  readonly endpoint: EndpointDetails;
  readonly view: ViewState;
  /** When the API returned the rows; undefined = they are not loaded. */
  readonly read: Date | undefined;
}

/** Id of the element with the citation, whose text {@link CiteButton} selects where it cannot copy. */
const BOX = "citation";

/** A button that copies the citation as text. */
export function CiteButton({ endpoint, view, read }: Props): VNode | null {
  const { t } = useText();
  const citation = useCitation(endpoint, view, read);
  if (!citation) return null;
  const source = (): Element | null => document.getElementById(BOX);
  return <CopyButton class="tool" label={t("cite")} text={citation.citeText} source={source} />;
}

/** The citation of the rows, as text and as BibTeX. */
export function Citation({ endpoint, view, read }: Props): VNode | null {
  const { t } = useText();
  const [format, setFormat] = useState<Format>("citeText");
  const citation = useCitation(endpoint, view, read);
  if (!citation) return null;
  const name = (each: Format): string => (each === "citeText" ? t(each) : each);
  return (
    <section aria-labelledby="cite">
      <h2 id="cite">{t("citeHeading")}</h2>
      <Choices label="cite" names={FORMATS} chosen={format} choose={setFormat} textOf={name} />
      <CopyBox id={BOX} text={citation[format]} label={`${t("citation")}, ${name(format)}`} />
    </section>
  );
}
