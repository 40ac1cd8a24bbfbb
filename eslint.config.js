import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist/", "sdks/", "docs/snippets/", "examples/", "node_modules/", "coverage/", "catalog/dist/"] },
  js.configs.recommended,
  tseslint.configs.recommendedTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  {
    rules: {
      // Ports, counts and statuses stand in messages everywhere; an Output in a template stays an error.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // A Pulumi resource is used for what its constructor does.
      "no-new": "off",
    },
  },
);
