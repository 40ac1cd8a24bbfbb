import { defineConfig } from "vite";

/** One file that needs nothing but Node.js. */
export default defineConfig({
  publicDir: false,
  logLevel: "warn",
  ssr: { noExternal: true },
  build: {
    ssr: "main.ts",
    target: "node24",
    write: false,
    minify: true,
    rolldownOptions: { output: { codeSplitting: false } },
  },
});
