/** Annotation of an object with the class of the gateway that it is for. */
export const CLASS = "kubernetes.io/ingress.class";

/** Returns whether Traefik ignores objects of a class: it reads those without one, and of its own (v3.7, pkg/provider/kubernetes/crd, `shouldProcessIngress`). */
export function isOtherClass(name: string | undefined): name is string {
  return name !== undefined && name !== "" && name !== "traefik";
}
