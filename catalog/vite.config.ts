import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

/**
 * The page of the catalog: `dist/index.html` and `dist/assets/`. Addresses are relative, and no file contains a host or a base path, so that
 * one build serves everywhere.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [iconsAsFiles()],
  build: {
    target: "es2023",
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});

/** Turns the icons that a style sheet has inside itself into files: the page's Content-Security-Policy permits no `data:` addresses. */
function iconsAsFiles(): Plugin {
  return {
    name: "icons-as-files",
    generateBundle(_options, bundle) {
      for (const asset of Object.values(bundle)) {
        if (asset.type !== "asset" || !asset.fileName.endsWith(".css")) continue;
        asset.source = String(asset.source).replace(
          /url\((["'])data:image\/svg\+xml,(.*?)\1\)/g,
          (_address, _quote, encoded: string) => {
            const source = decodeURIComponent(encoded);
            const fileName = `assets/icon-${createHash("sha256").update(source).digest("hex").slice(0, 8)}.svg`;
            this.emitFile({ type: "asset", fileName, source });
            return `url(./${fileName.slice("assets/".length)})`;
          },
        );
      }
    },
  };
}
