import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { PAGES } from "../../../pages.ts";
import { useText } from "../../i18n/text.tsx";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import { LanguageSwitch } from "./LanguageSwitch.tsx";
import { ThemeSwitch } from "./ThemeSwitch.tsx";

/**
 * The header and the navigation around every page. A new page gets the focus, so that a screen reader announces it, and is scrolled to its
 * top. After Back and Forward, the browser restores the scroll position.
 */
export function Frame({ children }: { children: ComponentChildren }): VNode {
  const { t } = useText();
  const [path] = useLocation();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(path);
  /** The path of the last Back or Forward; null after the next page. */
  const returned = useRef<string | null>(null);
  useEffect(() => {
    const remember = (): void => {
      returned.current = location.pathname;
    };
    addEventListener("popstate", remember);
    return () => removeEventListener("popstate", remember);
  }, []);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    main.current?.focus({ preventScroll: true });
    if (returned.current !== location.pathname) window.scrollTo(0, 0);
    returned.current = null;
  }, [path]);
  const current = (start: string): "page" | undefined => (path.startsWith(start) ? "page" : undefined);
  return (
    <>
      <a class="skip" href="#main">
        {t("skip")}
      </a>
      <header class="container-fluid frame">
        <Link href="/data" class="brand">
          {t("title")}
        </Link>
        <nav aria-label={t("title")}>
          {Object.entries(PAGES).map(
            ([href, page]) =>
              "navigation" in page && (
                <Link key={href} href={href} aria-current={current(href)}>
                  {t(page.navigation)}
                </Link>
              ),
          )}
        </nav>
        <div class="switches">
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </header>
      <main id="main" class="container-fluid" tabIndex={-1} ref={main}>
        {/* The key removes the error of a page when another one is shown. */}
        <ErrorBoundary key={path}>{children}</ErrorBoundary>
      </main>
    </>
  );
}
