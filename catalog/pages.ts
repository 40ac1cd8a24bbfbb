/**
 * The pages of the catalog by path (patterns of wouter), below the base path. The server serves the application at each path and below it;
 * the navigation links those with a text.
 */
export const PAGES = {
  "/data": { navigation: "navData" },
  "/data/:schema/:relation": {},
  "/sources/:id": {},
  "/contract": { navigation: "navContract" },
  "/about": { navigation: "navAbout" },
} as const;

export type PagePath = keyof typeof PAGES;

const SECTIONS = new Set(Object.keys(PAGES).map((path) => path.split("/")[1]));

/** @param path without a leading slash */
export function isPage(path: string): boolean {
  return SECTIONS.has(path.split("/")[0]);
}
