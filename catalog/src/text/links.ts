/** Returns an address from the data if it is that of a web page. Nothing else may become a link. */
export function webAddress(text: string | null | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === "https:" || protocol === "http:" ? href : undefined;
}
