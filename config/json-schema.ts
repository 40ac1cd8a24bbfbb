/** JSON Schema of a whole `Pulumi.<stack>.yaml`, for editors. Run as a script, it writes `config/stack.schema.json`. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { images } from "./images.ts";
import { observability } from "./observability.ts";
import * as schema from "./schema.ts";
import { service } from "./service-schema.ts";
import { SECTIONS } from "./sections.ts";
import { verification } from "./verification.ts";

const config = z
  .looseObject({
    "gatehouse:domains": z
      .object({
        localhost: schema.knownDomain.describe("http://<name>.localhost; for development.").optional(),
        mesh: schema.knownDomain.describe("A private mesh network.").optional(),
        external: schema.knownDomain.describe("A public DNS domain.").optional(),
      })
      .catchall(schema.customDomain.describe("A kind of one's own."))
      .describe("Domain kinds by name."),
    "gatehouse:protected_services": z.array(service).describe("The services behind the gateway."),
    "gatehouse:gateway": schema.gateway.describe("The Traefik that the cluster runs.").optional(),
    "gatehouse:identity_provider": schema.identityProvider.describe("The identity provider (authentik)."),
    "gatehouse:postgres": schema.postgres
      .describe("The Postgres server for the identity provider and the data API.")
      .optional(),
    "gatehouse:data_api": schema.dataApi.describe("A public, read-only API over a database.").optional(),
    "gatehouse:test_environments": schema.testEnvironments.describe("Echo services on localhost.").optional(),
    "gatehouse:images": images.describe("The digests of the images that the stack runs.").optional(),
    "gatehouse:observability": observability.describe("Who reads the metrics: Prometheus and Grafana.").optional(),
    "gatehouse:verification": verification
      .describe("A job in the cluster that proves the deployment, again and again.")
      .optional(),
    "kubernetes:context": z
      .string()
      .describe("Context of the kubeconfig: the only cluster that this stack may touch.")
      .optional(),
  })
  // Other namespaces are other people's; in ours, every key is known.
  .meta({ propertyNames: { pattern: `^(gatehouse:(${SECTIONS.join("|")})$|(?!gatehouse:))` } });

const file = z
  .looseObject({ config: config.describe("Configuration of the stack.") })
  .meta({ title: "Gatehouse stack" });

/** The schema as it stands in `config/stack.schema.json`. */
export function stackSchema(): object {
  return z.toJSONSchema(file, { io: "input", target: "draft-7" });
}

if (import.meta.main) {
  const { format } = await import("prettier");
  const text = await format(JSON.stringify(stackSchema()), { parser: "json", printWidth: 120 });
  await writeFile(join(import.meta.dirname, "stack.schema.json"), text);
}
