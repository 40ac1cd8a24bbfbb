import { Claims } from "../../authentik/claims.ts";
import { Random } from "../../authentik/random.ts";
import type { Runtime } from "../../authentik/resources.ts";
import { Store } from "../../authentik/store.ts";
import { noTasks } from "../../authentik/tasks.ts";

/** A runtime without a server, with an empty store in memory. @param tasks receives what the server leaves to its worker */
export function testRuntime(tasks = noTasks): Runtime {
  const store = new Store();
  return { store, secretKey: "test", tasks, claims: new Claims(store, "test"), random: new Random(1) };
}
