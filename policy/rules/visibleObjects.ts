import { labelOf, type Manifest, manifestOf, type Resource, textAt } from "../../manifests/resource.ts";
import type { Rule, Violation } from "../rule.ts";

/** Groups and kinds that make a controller in the cluster deploy or change the objects of a chart (k3s; Flux). */
const CHARTS = /^kubernetes:helm\.(cattle\.io\/v1:HelmChart(Config)?|toolkit\.fluxcd\.io\/\w+:HelmRelease)$/;
/** One resource of the engine instead of the objects of the chart. */
const RELEASE = "kubernetes:helm.sh/v3:Release";

/** The other rules read the objects that a program registers, and take their kinds from the types of the resources. */
export const visibleObjects: Rule = {
  name: "objects-are-visible",
  description:
    "Every object has the kind of its resource, and none is a release of Helm or Flux, or a HelmChart of k3s.",
  scope: "resource",
  check: (resources) => resources.flatMap((resource) => [...charts(resource), ...otherKinds(resource)]),
};

function charts(resource: Resource): Violation[] {
  if (resource.type !== RELEASE && !CHARTS.test(resource.type)) return [];
  const subject = labelOf(resource);
  const message = "deploys or changes a chart, whose objects the policy pack cannot read";
  const hint =
    "use kubernetes.helm.v4.Chart, whose objects it reads; apply a HelmChartConfig with kubectl, outside of the stack";
  return [{ rule: visibleObjects.name, subject, message, hint }];
}

/** The provider creates what the fields state (pulumi-kubernetes, provider/pkg/await, `ResourceClientForObject`), not what the type does. */
function otherKinds(resource: Resource): Violation[] {
  const manifest = manifestOf(resource);
  if (manifest === undefined) return [];
  const stated = { apiVersion: textAt(manifest.props, "apiVersion"), kind: textAt(manifest.props, "kind") };
  const declared = { apiVersion: apiVersionOf(manifest), kind: manifest.kind };
  return (["apiVersion", "kind"] as const)
    .filter((field) => stated[field] !== undefined && stated[field] !== declared[field])
    .map((field) => ({
      rule: visibleObjects.name,
      subject: manifest.label,
      message: `has ${field} ${stated[field]}, and the type of its resource has ${declared[field]}`,
      hint: "use the resource of that kind",
    }));
}

function apiVersionOf({ type }: Manifest): string {
  return (type.split(":")[1] ?? "").replace(/^core\//, "");
}
