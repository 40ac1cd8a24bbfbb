import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useConfig } from "../api/config.ts";
import type { EndpointDetails } from "../api/meta.ts";
import { urlOf, viewRequest } from "../api/request.ts";
import { useText } from "../i18n/text.tsx";
import type { ViewState } from "../state/view.ts";
import { type Language, LANGUAGES, snippet } from "../text/snippets.ts";
import { Choices } from "./Choices.tsx";
import { CopyBox } from "./CopyBox.tsx";

/** The request for the shown rows as a command or program, to copy. */
export function RequestBox({ endpoint, view }: { endpoint: EndpointDetails; view: ViewState }): VNode {
  const { t } = useText();
  const [language, setLanguage] = useState<Language>("curl");
  const { data: config } = useConfig();
  const request = viewRequest(endpoint, view);
  return (
    <section aria-labelledby="request">
      <h2 id="request">{t("requestHeading")}</h2>
      <p>{t("requestHelp")}</p>
      <Choices label="request" names={LANGUAGES} chosen={language} choose={setLanguage} />
      {config && (
        <CopyBox
          label={`${t("requestHeading")}, ${language}`}
          text={snippet(language, { url: urlOf(config.baseUrl, request), profile: request.profile })}
        />
      )}
    </section>
  );
}
