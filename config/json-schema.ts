/**
 * JSON Schema of a whole `Pulumi.<stack>.yaml`, for editors. Run as a script, it writes `config/stack.schema.json` and
 * `docs/configuration.md`.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { images } from "./images.ts";
import { observability } from "./observability.ts";
import { renderReference } from "./reference.ts";
import * as schema from "./schema.ts";
import { service } from "./service-schema.ts";
import { SECTIONS } from "./sections.ts";
import { verification } from "./verification.ts";

/** Returns the content of `config/stack.schema.json`. */
export function stackSchema(): object {
  const config = z
    .looseObject({
      "gatehouse:domains": z
        .object({
          localhost: schema.knownDomain.describe("Development: `http://<name>.localhost`.").optional(),
          mesh: schema.knownDomain.describe("A private mesh network: `https://<name>.<base_domain>`.").optional(),
          external: schema.knownDomain.describe("A public DNS domain: `https://<name>.<base_domain>`.").optional(),
        })
        .catchall(schema.customDomain.describe("A custom kind."))
        .describe("Domain kinds: the domains on which services are exposed."),
      "gatehouse:protected_services": z
        .array(service())
        .describe("Services that the gateway protects: one entry per service."),
      "gatehouse:gateway": schema.gateway.describe("The Traefik that the cluster runs.").optional(),
      "gatehouse:identity_provider": schema.identityProvider.describe("The identity provider (authentik)."),
      "gatehouse:postgres": schema.postgres.describe("The Postgres server of authentik and the data API.").optional(),
      "gatehouse:data_api": schema.dataApi
        .describe("A public, read-only REST API over a Postgres database, and its catalog.")
        .optional(),
      "gatehouse:test_environments": schema.testEnvironments
        .describe("Echo service on localhost, to see what an application receives.")
        .optional(),
      "gatehouse:images": images.describe("Digests of the container images.").optional(),
      "gatehouse:observability": observability
        .describe("Metrics, alerts and a dashboard, for an existing Prometheus.")
        .optional(),
      "gatehouse:verification": verification
        .describe("A CronJob that verifies the deployment from inside the cluster.")
        .optional(),
      "kubernetes:context": z
        .string()
        .describe("Context of the kubeconfig: the only cluster that this stack changes.")
        .optional(),
    })
    // Other namespaces are other people's; in ours, every key is known.
    .meta({ propertyNames: { pattern: `^(gatehouse:(${SECTIONS.join("|")})$|(?!gatehouse:))` } });
  const file = z
    .looseObject({ config: config.describe("Configuration of the stack.") })
    .meta({ title: "Gatehouse stack" });
  return z.toJSONSchema(file, { io: "input", target: "draft-7" });
}

if (import.meta.main) {
  const { format } = await import("prettier");
  const text = await format(JSON.stringify(stackSchema()), { parser: "json", printWidth: 120 });
  await writeFile(join(import.meta.dirname, "stack.schema.json"), text);
  await writeFile(join(import.meta.dirname, "..", "docs", "configuration.md"), renderReference(stackSchema()));
}
