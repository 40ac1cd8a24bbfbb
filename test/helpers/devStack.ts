/** A project folder with the stack `dev`, whose identity provider is an existing server. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

/**
 * Creates the folder before the first test of a file, and removes it after the last.
 * @param context of the stack file
 * @returns a function that returns the folder's path inside a test
 */
export function devStack(context: string): () => string {
  let project = "";
  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), "gatehouse-dev-"));
    const config = {
      "kubernetes:context": context,
      "gatehouse:domains": { localhost: {} },
      "gatehouse:protected_services": [],
      "gatehouse:identity_provider": { install: false, url: "https://sso.example.org", token: "${TOKEN}" },
    };
    writeFileSync(join(project, "Pulumi.dev.yaml"), JSON.stringify({ config }));
  });
  afterAll(() => rmSync(project, { recursive: true }));
  return () => project;
}
