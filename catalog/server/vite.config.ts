import { defineConfig } from "vite";

/** One file that needs nothing but Node.js. */
export default defineConfig({
  publicDir: false,
  ssr: { noExternal: true },
  build: {
    ssr: "main.ts",
    target: "node24",
    outDir: "../dist",
    emptyOutDir: false,
    minify: true,
    rolldownOptions: { output: { entryFileNames: "server.mjs", codeSplitting: false } },
  },
});
