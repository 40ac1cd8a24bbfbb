/** The echo service and its hosts on localhost (docs/applications.md, Try it). */
import { z } from "zod";
import type { Draft } from "../schema/draft.ts";
import { label, portNumber } from "../schema/fields.ts";
import type { Section } from "./section.ts";

const schema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "Exposes the echo service on localhost: `whoami-public.localhost`, and `whoami-<name>.localhost` for each service on localhost.",
    ),
  install: z.boolean().default(false).describe("Deploys the echo service."),
  service: z
    .strictObject({
      name: label().default("whoami").describe("Name of the Kubernetes Service."),
      namespace: label().default("default").describe("Namespace of the Kubernetes Service."),
      port: portNumber().default(8080).describe("Port of the Kubernetes Service."),
    })
    .prefault({})
    .describe("Kubernetes Service of the echo service."),
});

export const testEnvironments = {
  schema,
  description: "Echo service on localhost, to see what an application receives.",
  example: `
gatehouse:test_environments: { install: true }
`,
  text: `
The hosts exist on localhost only, and for a service only if its \`domains\` contain \`localhost\`. \`whoami-<name>.localhost\` is the echo service under the authentication of the service \`<name>\`; \`whoami-public.localhost\` is open, for GET and HEAD. See
[the development path](applications.md#try-it).
`,
} satisfies Section;

type TestEnvironmentsDraft = Draft<z.output<typeof schema>>;
export type TestEnvironments = Readonly<ReturnType<typeof toTestEnvironments>>;

/** Returns the settings; of fields with a problem, the defaults. */
export function toTestEnvironments({ fields }: TestEnvironmentsDraft) {
  const backend = fields.service ?? { name: "whoami", namespace: "default", port: 8080 };
  return { enabled: fields.enabled ?? true, install: fields.install ?? false, backend };
}
