/** Labels of an EndpointSlice (Kubernetes docs, "EndpointSlices", ownership and management). */
export const SERVICE_NAME = "kubernetes.io/service-name";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";

/** The controller that creates the slices of a Service with a selector, and deletes others with its name. */
export const SELECTOR_CONTROLLER = "endpointslice-controller.k8s.io";
