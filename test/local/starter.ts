/** Starts a platform on the data folder of its argument, prints its description, and stops it on SIGTERM. */
import { type Platform, startPlatform } from "../../local/platform/platform.ts";
import { createProgress } from "../../ops/terminal/progress.ts";

/** The description of a started platform. */
export type Started = Pick<Platform, "kubeconfig" | "httpPort" | "httpsPort" | "postgres">;

const [data = ""] = process.argv.slice(2);
try {
  const platform = await startPlatform({ data, progress: createProgress() });
  const { kubeconfig, httpPort, httpsPort, postgres } = platform;
  process.once("SIGTERM", () => void platform.stop().then(() => process.exit(0)));
  void platform.failed.then(({ message }) => {
    console.error(message);
    process.exit(1);
  });
  process.stdout.write(`${JSON.stringify({ kubeconfig, httpPort, httpsPort, postgres } satisfies Started)}\n`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
