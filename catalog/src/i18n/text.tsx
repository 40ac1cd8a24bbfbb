import { type ComponentChildren, createContext, type VNode } from "preact";
import { useContext, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { remembered, remember } from "../state/preferences.ts";
import { en, type Texts } from "./en.ts";
import { nb } from "./nb.ts";
import { dataNumbers, templates, type Values } from "./template.ts";

export type Language = "nb" | "en";
export type TextKey = keyof Texts;

interface Text {
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
  /** Returns the text of a key. Numbers among the values are formatted for the language. */
  readonly t: (key: TextKey, values?: Values) => string;
  readonly number: (value: number) => string;
  /** Formats a number of the data, which can be small. For counts, see {@link number}. */
  readonly dataNumber: (value: number) => string;
  /** Formats a day, or a day and time. Returns text that is not a date unchanged. */
  readonly date: (value: string | Date, withTime?: boolean) => string;
  /** Formats the day in UTC, for periods that start or end at midnight UTC. */
  readonly utcDay: (value: Date) => string;
}

const TEXTS: Record<Language, Texts> = { en, nb };
const KEY = "language";
const Context = createContext<Text | null>(null);

/** Returns the texts of the page, in the chosen language, by default that of the browser. */
export function useText(): Text {
  const text = useContext(Context);
  if (text === null) throw new Error("useText is used outside of TextProvider");
  return text;
}

export function TextProvider({ children }: { children: ComponentChildren }): VNode {
  const [language, setLanguage] = useState<Language>(firstLanguage);
  useLayoutEffect(() => {
    document.documentElement.lang = language;
    remember(KEY, language);
  }, [language]);
  const text = useMemo(() => textIn(language, setLanguage), [language]);
  return <Context.Provider value={text}>{children}</Context.Provider>;
}

function textIn(language: Language, setLanguage: (language: Language) => void): Text {
  const numbers = new Intl.NumberFormat(language);
  const days = new Intl.DateTimeFormat(language, { dateStyle: "long" });
  const times = new Intl.DateTimeFormat(language, { dateStyle: "long", timeStyle: "short" });
  const utcDays = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" });
  const filled = templates(language);
  return {
    language,
    setLanguage,
    t: (key, values = {}) => filled(TEXTS[language][key], values),
    number: (value) => numbers.format(value),
    dataNumber: dataNumbers(language),
    date: (value, withTime = false) => {
      const date = new Date(value);
      return Number.isNaN(date.getTime()) ? String(value) : (withTime ? times : days).format(date);
    },
    utcDay: (value) => utcDays.format(value),
  };
}

function firstLanguage(): Language {
  const chosen = remembered(KEY);
  if (chosen === "nb" || chosen === "en") return chosen;
  const wanted = navigator.languages.find((language) => /^(nb|nn|no|da|sv|en)\b/iu.test(language)) ?? "en";
  return /^en\b/iu.test(wanted) ? "en" : "nb";
}
