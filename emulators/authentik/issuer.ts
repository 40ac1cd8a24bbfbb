import type { Provider } from "./objects.ts";
import type { Store } from "./store.ts";

/** Returns the issuer of the tokens of a provider at an origin: one for each application, or one for all. */
export function issuerOf(store: Store, provider: Provider, origin: string): string {
  const application = store.find("application", { provider: provider.pk });
  return application && provider.issuer_mode !== "global"
    ? `${origin}/application/o/${application.slug}/`
    : `${origin}/`;
}
