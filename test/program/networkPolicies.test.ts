/** Pods start after the NetworkPolicies that select them: until these exist, every pod of the cluster can connect to them. */
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type RawStack, readStackFile } from "../../config/load.ts";
import { packageFolder } from "../../config/files/folders.ts";
import { matchesLabels } from "../../infra/labels.ts";
import { deploy, PATIENCE } from "../helpers/program.ts";
import type { Recorder } from "../helpers/recorder.ts";

type Labels = Readonly<Record<string, string>>;
interface Template {
  readonly metadata: { readonly labels: Labels };
}
interface Inputs {
  readonly metadata: { readonly name?: string; readonly namespace: string };
  readonly spec: {
    readonly podSelector: { readonly matchLabels: Labels };
    readonly template: Template;
    readonly jobTemplate: { readonly spec: { readonly template: Template } };
  };
}

/** Labels of the pods of each kind of workload. */
const PODS: Readonly<Record<string, (inputs: Inputs) => Labels>> = {
  "apps/v1:Deployment": ({ spec }) => spec.template.metadata.labels,
  "apps/v1:StatefulSet": ({ spec }) => spec.template.metadata.labels,
  "batch/v1:CronJob": ({ spec }) => spec.jobTemplate.spec.template.metadata.labels,
  "postgresql.cnpg.io/v1:Cluster": ({ metadata }) => ({ "cnpg.io/cluster": metadata.name ?? "" }),
};

const local = readStackFile(join(packageFolder(), "Pulumi.local.yaml"), "local");
const changed = (key: string, value: object): RawStack => ({ ...local, config: { ...local.config, [key]: { value } } });
const installed = (kind: string) =>
  changed("gatehouse:postgres", { password: "${POSTGRES_PASSWORD}", install: { kind } });
const account = { name: "verifier", namespace: "gatehouse-verification" };
const EXISTING = { install: false, url: "https://sso.example.org", token: "${TOKEN}", service_accounts: [account] };

describe.each<[string, RawStack, string]>([
  ["the local stack", local, "authentik-server"],
  ["a Postgres with one server", installed("statefulset"), "postgres-server"],
  ["a Postgres of an operator", installed("cloudnativepg"), "postgres-server"],
  ["an existing authentik", changed("gatehouse:identity_provider", EXISTING), "outposts-pages-deployment"],
])("of %s", (_, stack, example) => {
  let recorder: Recorder;
  beforeAll(async () => {
    recorder = await deploy(stack);
  }, PATIENCE);

  test("are registered before the workloads that they select", () => {
    const policies = recorder.of("kubernetes:networking.k8s.io/v1:NetworkPolicy").map(({ name, inputs }) => {
      const { metadata, spec } = inputs as unknown as Inputs;
      return { name, namespace: metadata.namespace, selector: spec.podSelector.matchLabels };
    });
    const workloads = Object.entries(PODS).flatMap(([type, labelsOf]) =>
      recorder.of(`kubernetes:${type}`).map(({ name, inputs }) => {
        const own = inputs as unknown as Inputs;
        const selecting = policies.filter(
          ({ namespace, selector }) => namespace === own.metadata.namespace && matchesLabels(selector, labelsOf(own)),
        );
        const dependencies = recorder.dependencies.get(`kubernetes:${type} ${name}`) ?? [];
        return { name, after: selecting.some((policy) => dependencies.includes(policy.name)) };
      }),
    );
    expect(workloads.map(({ name }) => name)).toContain(example);
    expect(workloads.filter(({ after }) => !after)).toEqual([]);
  });
});
