import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useConfig } from "../../api/config.ts";
import { type RowsRequest, urlOf } from "../../api/request.ts";
import { useText } from "../../i18n/text.tsx";
import { type Language, LANGUAGES, snippet } from "../../text/snippets.ts";
import { Choices } from "../shared/Choices.tsx";
import { CopyBox } from "./CopyBox.tsx";

/** The request for the rows of the table as a command or program, with a button that copies it. */
export function RequestBox({ request }: { request: RowsRequest }): VNode {
  const { t } = useText();
  const [language, setLanguage] = useState<Language>("curl");
  const { data: config } = useConfig();
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
