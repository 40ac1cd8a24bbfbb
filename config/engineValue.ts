/** Returns a value of the stack's configuration from the engine, which passes sections as JSON, and other values as plain text. */
export function engineValue(key: string, text: string): unknown {
  if (!key.startsWith("gatehouse:")) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
