import type { VNode } from "preact";
import { Link } from "wouter-preact";
import { Title } from "../components/layout/Title.tsx";
import { useText } from "../i18n/text.tsx";

/** The page of an unknown address, and of a relation or source that does not exist. */
export function NotFoundPage(): VNode {
  const { t } = useText();
  return (
    <>
      <Title name={t("notFound")} />
      <p>{t("notFoundHelp")}</p>
      <Link href="/data">{t("toList")}</Link>
    </>
  );
}
