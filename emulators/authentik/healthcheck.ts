/** Exits with 0 when the role on the address of AUTHENTIK_LISTEN__HTTP answers, as the image's `ak healthcheck` does; else with 1. */
import { get } from "node:http";

get(`http://${process.env["AUTHENTIK_LISTEN__HTTP"] ?? "localhost:9000"}/-/health/live/`, ({ statusCode = 500 }) =>
  process.exit(statusCode < 300 ? 0 : 1),
).on("error", () => process.exit(1));
