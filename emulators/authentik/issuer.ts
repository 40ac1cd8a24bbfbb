import type { Provider } from "./objects.ts";
import type { Store } from "./store.ts";

/** The issuer of a provider's tokens under an origin: its application's, or one for all. */
export function issuerOf(store: Store, provider: Provider, origin: string): string {
  const application = store.find("application", { provider: provider.pk });
  return application && provider.issuer_mode !== "global"
    ? `${origin}/application/o/${application.slug}/`
    : `${origin}/`;
}
