import { z } from "zod";
import { label, portNumber } from "../../schema/fields.ts";

/** The field `service` of an entry. */
export const service = z.strictObject({
  name: label().optional().describe("Name of the Kubernetes Service. Default: the entry's name."),
  namespace: label().default("default").describe("Namespace of the Kubernetes Service."),
  port: portNumber().default(80).describe("Port of the Kubernetes Service."),
});

/** The field `service` with its defaults, whose name may be missing. */
export type WrittenService = z.output<typeof service>;
/** Where an application runs in the cluster: a Kubernetes Service and one of its ports. */
export type Backend = Readonly<Required<WrittenService>>;

/** Returns `<namespace>/<name>:<port>`. */
export function backendText({ namespace, name, port }: Backend): string {
  return `${namespace}/${name}:${port}`;
}
