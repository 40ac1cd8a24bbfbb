import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { knownContexts, openContext, type ShellEnvironment } from "../../../ops/context/context.ts";
import { kubeConfigOf } from "../../../ops/context/kubeconfig.ts";
import { writeLocalContext } from "../../../ops/context/local.ts";

let folder: string;
let place: ShellEnvironment;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-context-"));
  place = { project: folder, data: folder, environment: {} };
});
afterEach(() => rmSync(folder, { recursive: true }));

function writeStack(stack: string, config: object): void {
  const sections = {
    "gatehouse:domains": { localhost: {} },
    "gatehouse:protected_services": [],
    "gatehouse:identity_provider": { install: false, url: "https://sso.example.org", token: "${TOKEN}" },
  };
  writeFileSync(join(folder, `Pulumi.${stack}.yaml`), JSON.stringify({ config: { ...sections, ...config } }));
}

const UID = "6b1e5c34-3f0f-4f6b-9a55-0d6c1f6f7a42";

test("opens the stack that names the context", () => {
  writeStack("dev", { "kubernetes:context": "rancher-desktop" });
  writeStack("production", { "kubernetes:context": "prod-eu" });
  const { stack, context, settings, local } = openContext("prod-eu", place);
  expect({ stack, context, inSettings: settings.context, local }).toEqual({
    stack: "production",
    context: "prod-eu",
    inSettings: "prod-eu",
    local: false,
  });
});

test("reports a stack file that cannot be read unless another one has the context and the UID of its cluster", () => {
  writeStack("dev", { "kubernetes:context": "rancher-desktop", "gatehouse:cluster": { uid: UID } });
  writeStack("k3s", { "kubernetes:context": "default" });
  writeFileSync(join(folder, "Pulumi.a.yaml"), "");
  expect(openContext("rancher-desktop", place).stack).toBe("dev");
  // The file can have the same context.
  for (const name of ["default", "other"])
    expect(() => openContext(name, place)).toThrow(/^Pulumi\.a\.yaml: 1 problem\n/);
});

test("lists the known contexts in the error for an unknown one", () => {
  writeStack("dev", { "kubernetes:context": "rancher-desktop" });
  writeStack("without", {});
  expect(() => openContext("rancher", place)).toThrow(
    'no stack belongs to context "rancher".\nKnown contexts:\n  rancher-desktop (stack dev)\n' +
      "To add it, set kubernetes:context: rancher in the stack file of that cluster.",
  );
});

test("refuses a context of two stacks", () => {
  writeStack("dev", { "kubernetes:context": "shared" });
  writeStack("staging", { "kubernetes:context": "shared" });
  expect(() => openContext("shared", place)).toThrow(
    'context "shared" is in Pulumi.dev.yaml and Pulumi.staging.yaml, but a cluster has one stack. Use a name that only one stack has; gatehouse:cluster.contexts takes further names.',
  );
});

describe("a stack with several names of its cluster", () => {
  const named = (...contexts: string[]) => ({
    "kubernetes:context": "default",
    "gatehouse:cluster": { uid: UID, contexts },
  });
  /** Returns a shell whose kubeconfig has these contexts. */
  const withContexts = (...names: string[]): ShellEnvironment => {
    const files = names.map((name) => {
      const file = join(folder, `kubeconfig-${name}`);
      writeFileSync(file, kubeconfig(name, "https://one.example.org"));
      return file;
    });
    return { ...place, environment: { KUBECONFIG: files.join(":") } };
  };

  test("is selected by each of them, and uses the name that the kubeconfig contains", () => {
    writeStack("production", named("k3s-prod"));
    const used = (name: string, ...contexts: string[]) => {
      const { context, settings, environment } = openContext(name, withContexts(...contexts));
      return [context, settings.context, environment["GATEHOUSE_CONTEXT"]];
    };
    const all = (name: string) => [name, name, name];
    expect(used("k3s-prod", "k3s-prod", "default")).toEqual(all("k3s-prod"));
    expect(used("k3s-prod", "default")).toEqual(all("default"));
    expect(used("default", "k3s-prod")).toEqual(all("k3s-prod"));
    expect(used("k3s-prod", "other")).toEqual(all("k3s-prod"));
  });

  test("is distinguished from another cluster called default by its other names", () => {
    writeStack("dev", named("k3s-dev"));
    writeStack("production", named("k3s-prod"));
    const { stack, context, given } = openContext("k3s-prod", withContexts("default"));
    // Printed commands of Gatehouse have the given name.
    expect([stack, context, given]).toEqual(["production", "default", "k3s-prod"]);
    expect(() => openContext("default", place)).toThrow(
      'context "default" is in Pulumi.dev.yaml and Pulumi.production.yaml, but a cluster has one stack. Use a name that only one stack has; gatehouse:cluster.contexts takes further names.',
    );
    expect(() => openContext("unknown", place)).toThrow(
      "Known contexts:\n  default, k3s-dev (stack dev)\n  default, k3s-prod (stack production)\n",
    );
  });
});

test("uses ports and secrets of the local platform's start for its own context alone", () => {
  const port = { "gatehouse:domains": { localhost: { port: "${HTTP_PORT}" } }, "variables:HTTP_PORT": "80" };
  writeStack("local", { "kubernetes:context": "gatehouse-local", ...port });
  writeStack("dev", { "kubernetes:context": "rancher-desktop", ...port });
  const environment = { TOKEN: "made-up" };
  const config = { "variables:HTTP_PORT": "8080" };
  writeLocalContext(folder, { context: "gatehouse-local", stack: "local", config, environment });
  expect((statSync(join(folder, "context.json")).mode & 0o777).toString(8)).toBe("600");
  const started = openContext("gatehouse-local", place);
  expect([started.settings.domains[0]?.port, started.environment["TOKEN"], started.local]).toEqual([
    8080,
    "made-up",
    true,
  ]);
  const other = openContext("rancher-desktop", place);
  expect([other.settings.domains[0]?.port, other.environment["TOKEN"], other.local]).toEqual([80, undefined, false]);
});

test("finds each context in only one of the project's stack files", () => {
  const contexts = knownContexts(join(import.meta.dirname, "../../..")).flatMap(({ names }) => names);
  expect(contexts).toContain("gatehouse-local");
  expect(new Set(contexts).size).toBe(contexts.length);
});

const kubeconfig = (context: string, server: string): string =>
  JSON.stringify({
    "current-context": context,
    contexts: [{ name: context, context: { cluster: context, user: context } }],
    clusters: [{ name: context, cluster: { server } }],
    users: [{ name: context, user: {} }],
  });

test("uses the named context for a client, whatever the current one is", () => {
  const [one, two] = [join(folder, "one"), join(folder, "two")];
  writeFileSync(one, kubeconfig("one", "https://one.example.org"));
  writeFileSync(two, kubeconfig("two", "https://two.example.org"));
  const config = kubeConfigOf("two", { KUBECONFIG: `${one}:${two}:${join(folder, "missing")}` });
  expect(config.getCurrentCluster()?.server).toBe("https://two.example.org");
});

test("refuses a context that the kubeconfig lacks, and lists those that it has", () => {
  const one = join(folder, "one");
  writeFileSync(one, kubeconfig("one", "https://one.example.org"));
  expect(() => kubeConfigOf("two", { KUBECONFIG: one })).toThrow(
    'the kubeconfig has no context "two" (existing contexts: one). Set KUBECONFIG, or add it.',
  );
});

test("refuses two k3s nodes that are both called default, and accepts two files with the same one", () => {
  const [one, two, copy] = [join(folder, "one"), join(folder, "two"), join(folder, "copy")];
  writeFileSync(one, kubeconfig("default", "https://one.example.org"));
  writeFileSync(two, kubeconfig("default", "https://two.example.org"));
  writeFileSync(copy, kubeconfig("default", "https://one.example.org"));
  expect(() => kubeConfigOf("default", { KUBECONFIG: `${one}:${two}` })).toThrow(
    `cluster "default" is in ${one} and, with other content, in ${two}. ` +
      "Give it another name in one of them, or set KUBECONFIG to one file",
  );
  expect(kubeConfigOf("default", { KUBECONFIG: `${one}:${copy}` }).getCurrentCluster()?.server).toBe(
    "https://one.example.org",
  );
});

test("refuses a renamed context whose cluster is still called default, and accepts others", () => {
  const [one, two, three] = [join(folder, "one"), join(folder, "two"), join(folder, "three")];
  writeFileSync(one, kubeconfig("default", "https://one.example.org"));
  const renamed = kubeconfig("default", "https://two.example.org").replace(
    '"name":"default","context"',
    '"name":"prod","context"',
  );
  writeFileSync(two, renamed);
  writeFileSync(three, kubeconfig("three", "https://three.example.org"));
  const environment = { KUBECONFIG: [one, two, three].join(":") };
  expect(() => kubeConfigOf("prod", environment)).toThrow(`cluster "default" is in ${one} and, with other content,`);
  expect(kubeConfigOf("three", environment).getCurrentCluster()?.server).toBe("https://three.example.org");
});
