/** Returns a preference of the user; null if there is none, or if the browser stores nothing. */
export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a choice for the next visit, if the browser permits it. */
export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Without storage, the page works as well.
  }
}
