/** Returns an address from the data if it is that of a web page. Nothing else may become a link. */
export function webAddress(text: string | null | undefined): string | undefined {
  try {
    const { protocol, href } = new URL(text ?? "");
    return protocol === "https:" || protocol === "http:" ? href : undefined;
  } catch {
    return undefined;
  }
}
