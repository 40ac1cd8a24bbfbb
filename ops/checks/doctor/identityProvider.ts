/** An existing identity provider: its version, the rights of the token, the objects that the stack looks up, and its own address. */
import { z } from "zod";
import { errorText } from "../../../config/errors/errorText.ts";
import { missingNow, SERIES_HINT, seriesProblem } from "../../../infra/identity/readiness.ts";
import { isLoopbackName } from "../../../infra/loopback.ts";
import { applicationsOf } from "../../../infra/plan/applications.ts";
import { type AuthentikApi, StatusError, UntrustedError, withAuthentik } from "../../../infra/identity/authentikApi.ts";
import { readable } from "../../../infra/prerequisites/readable.ts";
import { authentikOrigin } from "../../context/context.ts";
import { EMBEDDED_OUTPOST, OUTPOST } from "../../clients/identityRecords.ts";
import { unreachableApi } from "../apiAddress.ts";
import { rootReason } from "../observation.ts";
import { type Check, failed, passed } from "../check.ts";
import type { Inputs, ReachedCluster } from "./inputs.ts";
import { prerequisiteChecks } from "./prerequisite.ts";
import { rights } from "./rights.ts";

const ME = z.object({ user: z.object({ username: z.string(), is_superuser: z.boolean() }) });
const VERSION = z.object({ version_current: z.string() });
/** A flag that was never set is on (authentik/core/apps.py). */
const SYSTEM_SETTINGS = z.object({
  flags: z.object({ core_default_app_access: z.boolean().nullish() }).nullish(),
});
/** Despite its label in authentik, the switch admits every user when it is on (AdminSettingsForm.ts of 2026.5.0-rc1). */
const FLAG_LABEL = "Require policies for application access";
const ADDRESS_HINT =
  "start it, connect to its network, or set identity_provider.api_url if this machine reaches it at another address";
/** No field adds an authority to the image of an outpost; a Service is requested without TLS. */
const OUTPOSTS_HINT = "outposts trust public authorities only, and need identity_provider.service";

/** Returns the checks of the server; if it does not answer, or refuses the token, that alone. */
export async function identityProvider({ target, secrets }: Inputs): Promise<Check[]> {
  const { settings, stack } = target;
  const { install, url: stated = "", apiUrl, service, token: text, version } = settings.identityProvider;
  if (install) return [passed("authentik", `${version}, deployed by the stack`)];
  const url = apiUrl ?? stated;
  const token = secrets.reveal(text);
  if (token === undefined) {
    const variables = text.variables.join(", ");
    const hint = `run: pulumi config set --secret variables:${text.variables[0]} --stack ${stack}`;
    return [failed("token", `${variables} is not set, so the identity provider cannot be checked`, hint)];
  }
  return withAuthentik(url, token, async (api) => {
    try {
      const me = ME.parse(await api.one("/core/users/me/"));
      const known = [
        passed("API", url),
        await serverVersion(api, url, version),
        ...(await rights(api, me.user, target)),
      ];
      // Without its rights, lists are empty.
      if (known.some(({ ok }) => !ok)) return known;
      return [
        ...known,
        ...(await lookups(url, token, version)),
        ...(await groups(api, target)),
        ...(await accessWithoutGroups(api, target)),
        ...(await embeddedOutpost(api, target)),
      ];
    } catch (error) {
      if (error instanceof StatusError && (error.status === 401 || error.status === 403)) {
        const hint = `create an API token of a superuser (Directory > Tokens and App passwords, Expiring off), then run: pulumi config set --secret variables:${text.variables[0]} --stack ${stack}`;
        return [passed("API", url), failed("token", "authentik rejects the token", hint)];
      }
      if (error instanceof UntrustedError) {
        const hint = service ? error.hint : `${error.hint}; ${OUTPOSTS_HINT}`;
        return [failed("API", `${url} does not answer: ${error.reason}`, hint)];
      }
      return [failed("API", `${url} does not answer: ${rootReason(error)}`, ADDRESS_HINT)];
    }
  });
}

/** Checks the Service that outposts use, if the stack names one, and the address that the provider plugins use, if it is on localhost. */
export async function addresses(inputs: Inputs, reached: ReachedCluster): Promise<Check[]> {
  const { target } = inputs;
  const url = authentikOrigin(target);
  const service = prerequisiteChecks(inputs, reached, "Identity provider");
  if (url === undefined || !isLoopbackName(new URL(url).hostname)) return service;
  const name = "address";
  const unreachable = await unreachableApi(target, reached.config);
  return [
    ...service,
    unreachable ? failed(name, unreachable.problem, unreachable.hint) : passed(name, "reached by the provider plugins"),
  ];
}

async function serverVersion(api: AuthentikApi, url: string, stated: string): Promise<Check> {
  const { version_current: found } = VERSION.parse(await api.one("/admin/version/"));
  const problem = seriesProblem(url, found, stated);
  return problem === undefined ? passed("version", found) : failed("version", problem, SERIES_HINT);
}

/** Checks that the default flows, scope mappings and the key pair exist, which the program looks up. */
async function lookups(url: string, token: string, version: string): Promise<Check[]> {
  const name = "default objects";
  const missing = await missingNow(url, token, version).catch(errorText);
  if (missing === undefined) return [passed(name, "flows, scope mappings and key pair exist")];
  const hint = "apply the default blueprints in authentik (Customization > Blueprints), or restore the object";
  return [failed(name, `missing: ${missing}`, hint)];
}

/** Checks that the allowed groups of services exist on an existing server. */
async function groups(api: AuthentikApi, { plan }: Inputs["target"]): Promise<Check[]> {
  const needed = plan.groups.filter((group) => !plan.createdGroups.includes(group));
  if (needed.length === 0) return [];
  const found = await readable(api.all<{ name: string }>("/core/groups/", { include_users: "false" }), [403]);
  if (found === undefined) return [];
  const missing = needed.filter((group) => !found.some(({ name }) => name === group));
  if (missing.length === 0) return [passed("groups", needed.join(", "))];
  const hint = "create them in authentik (Directory > Groups), or list them in identity_provider.groups";
  return [failed("groups", `protected_services: authentik has no group ${missing.join(", ")}`, hint)];
}

/** Checks that an application without bindings admits users, if a service has no groups. Reading the setting needs `view_system_settings`. */
export async function accessWithoutGroups(
  api: AuthentikApi,
  { plan }: Pick<Inputs["target"], "plan">,
): Promise<Check[]> {
  const open = applicationsOf(plan).flatMap(({ service, groups: allowed }) => (allowed.length === 0 ? [service] : []));
  if (open.length === 0) return [];
  const found = await readable(api.one<unknown>("/admin/settings/"));
  if (found === undefined) return [];
  const name = "access without groups";
  const { flags } = SYSTEM_SETTINGS.parse(found);
  if (flags?.core_default_app_access !== false) return [passed(name, "applications without bindings admit every user")];
  const services = [...new Set(open)].join(", ");
  const hint = `set groups of ${services}, or turn core_default_app_access on in authentik (System > Settings > Flags: "${FLAG_LABEL}"; on = every user)`;
  return [
    failed(
      name,
      `authentik admits no user to an application without bindings; services without groups: ${services}`,
      hint,
    ),
  ];
}

/** Checks `authentik_host` of the embedded outpost, which redirects browsers to http://localhost without it (measured, docs/authentik.md). */
async function embeddedOutpost(api: AuthentikApi, { settings }: Inputs["target"]): Promise<Check[]> {
  const name = "authentik_host";
  const all = await readable(api.all<unknown>("/outposts/instances/"), [403]);
  const embedded = all?.map((one) => OUTPOST.parse(one)).find(({ managed }) => managed === EMBEDDED_OUTPOST);
  if (embedded === undefined) return [];
  if (embedded.providers.length === 0) return [passed(name, `no application uses "${embedded.name}"`)];
  const { url = "" } = settings.identityProvider;
  const host = embedded.config.authentik_host;
  if (URL.parse(host)?.origin === new URL(url).origin) return [passed(name, `${host}, of "${embedded.name}"`)];
  const shown = host === "" ? "empty, which means http://localhost" : `${host}, not ${url}`;
  const hint = `set authentik_host: ${url} in authentik (Applications > Outposts > ${embedded.name} > Edit > Configuration)`;
  return [failed(name, `authentik_host of "${embedded.name}" is ${shown}`, hint)];
}
