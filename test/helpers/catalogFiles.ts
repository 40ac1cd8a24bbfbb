/** Files of a minimal catalog. */
export const CATALOG_FILES: ReadonlyMap<string, Buffer> = new Map([
  ["assets/main-1.js.br", Buffer.from("script")],
  ["index.html.br", Buffer.from("page")],
  ["server.mjs", Buffer.from("server")],
]);
