import { expect, test } from "vitest";
import { parseStack } from "../../../config/load.ts";
import { problemsOf, shell, stack } from "../stacks.ts";

const UID = "6b1e5c34-3f0f-4f6b-9a55-0d6c1f6f7a42";
const context = { "kubernetes:context": { value: "default" } };
const HINT = "Print it with: kubectl get namespace kube-system -o jsonpath={.metadata.uid}.";

test("lists the names of a cluster once each, kubernetes:context first", () => {
  const clusterOf = (cluster: object, others = {}) => parseStack(stack({ cluster }, others), shell).cluster;
  expect(clusterOf({}, context)).toEqual({ contexts: ["default"], uid: undefined });
  expect(clusterOf({})).toEqual({ contexts: [], uid: undefined });
  expect(clusterOf({ uid: UID, contexts: ["k3s-prod", "default"] }, context)).toEqual({
    contexts: ["default", "k3s-prod"],
    uid: UID,
  });
});

test.each<[string, object, object, string[]]>([
  [
    "other names without a UID",
    { contexts: ["k3s-prod"] },
    context,
    [`cluster.contexts: requires uid, since a name does not identify a cluster. ${HINT}`],
  ],
  [
    "other names without kubernetes:context",
    { uid: UID, contexts: ["k3s-prod"] },
    {},
    ["cluster.contexts: requires kubernetes:context. Set kubernetes:context to one of the names."],
  ],
  [
    "a UID that is none",
    { uid: "k3s-prod" },
    context,
    [`cluster.uid: found "k3s-prod", expected a UID of Kubernetes. ${HINT}`],
  ],
])("rejects %s", (_, cluster, others, problems) => {
  expect(problemsOf(stack({ cluster }, others as typeof context))).toEqual(problems);
});
