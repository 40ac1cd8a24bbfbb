/** The rights of the token of an existing authentik (docs/authentik.md, The token with `install: false`). */
import type { AuthentikApi } from "../../../infra/identity/authentikApi.ts";
import { readable } from "../../../infra/prerequisites/readable.ts";
import type { StackContext } from "../../context/context.ts";
import { type Check, failed, passed } from "../check.ts";

type Target = Pick<StackContext, "plan" | "settings">;

interface Right {
  readonly path: string;
  /** Permissions that the check cannot see are part of it: to change and to delete. */
  readonly permission: string;
  readonly writes: boolean;
}

const WRITTEN = [
  ["/providers/oauth2/", "authentik_providers_oauth2", "oauth2provider"],
  ["/propertymappings/provider/scope/", "authentik_providers_oauth2", "scopemapping"],
  ["/core/applications/", "authentik_core", "application"],
  ["/policies/bindings/", "authentik_policies", "policybinding"],
  ["/policies/expression/", "authentik_policies_expression", "expressionpolicy"],
] as const;
const READ = [
  ["/core/groups/", "authentik_core", "group"],
  ["/flows/instances/", "authentik_flows", "flow"],
  ["/crypto/certificatekeypairs/", "authentik_crypto", "certificatekeypair"],
] as const;

/** Checks that the user of a token has the permissions that the deployment needs; a superuser has all. */
export async function rights(
  api: AuthentikApi,
  user: { readonly username: string; readonly is_superuser: boolean },
  target: Target,
): Promise<Check[]> {
  const name = "rights of the token";
  if (user.is_superuser) return [passed(name, `${user.username} is a superuser`)];
  const reason = needsSuperuser(target);
  if (reason !== undefined) {
    const hint = `create a token of a superuser (Directory > Tokens and App passwords): ${reason} needs tokens of other users, which only a superuser can create`;
    return [failed(name, `identity_provider.token: ${user.username} is not a superuser`, hint)];
  }
  const missing = (await Promise.all(rightsOf(target).map((right) => missingPermissions(api, right)))).flat();
  if (missing.length === 0) return [passed(name, `${user.username} may read and create every type of object`)];
  const hint =
    "assign these permissions to a role of the user (Directory > Roles), together with change and delete (not of groups)";
  return [failed(name, `identity_provider.token: ${user.username} lacks\n${missing.join("\n")}`, hint)];
}

/** Returns what requires a superuser: outposts, service accounts and users, which have their own tokens or passwords. */
function needsSuperuser({ plan, settings }: Target): string | undefined {
  if (plan.outposts.length > 0) return "forward auth";
  if (settings.identityProvider.serviceAccounts.length > 0) return "a service account";
  return settings.identityProvider.sampleUsers.length > 0 ? "a sample user" : undefined;
}

function rightsOf({ plan }: Target): Right[] {
  const right =
    (writes: boolean) =>
    ([path, app, model]: readonly [string, string, string]): Right => {
      return { path, permission: `${app}.%_${model}`, writes };
    };
  const [groups, ...others] = READ;
  return [...WRITTEN.map(right(true)), right(plan.createdGroups.length > 0)(groups), ...others.map(right(false))];
}

/** Returns the missing permissions of a right. A list that the user may not view returns 403 (measured, docs/authentik.md). */
async function missingPermissions(api: AuthentikApi, { path, permission, writes }: Right): Promise<string[]> {
  const [list, add] = await Promise.all([
    readable(api.one(`${path}?page_size=1`), [403]),
    !writes || api.mayCreate(path),
  ]);
  return [...(list === undefined ? ["view"] : []), ...(add ? [] : ["add"])].map((verb) =>
    permission.replace("%", verb),
  );
}
