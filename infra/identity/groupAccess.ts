import assert from "node:assert";
import * as authentik from "#authentik";
import * as pulumi from "@pulumi/pulumi";
import type { IdentityProvider } from "../../config/settings.ts";
import { combinationOf } from "../plan/groupPolicies.ts";
import type { Plan } from "../plan/types.ts";
import { resolveSecret } from "../secrets.ts";
import type { Defaults } from "./defaults.ts";

interface GroupAccessArgs {
  readonly plan: Plan;
  readonly identityProvider: IdentityProvider;
  readonly defaults: Defaults;
}

/**
 * Creates the policies that admit the members of groups, and the sample users with their memberships. It only reads groups, which other applications
 * can use, so that no deployment deletes one; groups.ts creates those of the stack. Memberships are fields of users only: if groups contained them
 * as well, the next update of either would remove them.
 */
export class GroupAccess extends pulumi.ComponentResource {
  readonly #groups: ReadonlyMap<string, pulumi.Output<string>>;
  /** By their sorted groups as JSON. */
  readonly #policies: ReadonlyMap<string, authentik.PolicyExpression>;

  constructor(name: string, args: GroupAccessArgs, opts?: pulumi.ComponentResourceOptions) {
    super("gatehouse:identity:Access", name, {}, opts);
    const child = { parent: this };
    const { groups, createdGroups, members } = args.plan;
    const created = new Set(createdGroups);
    const joined = new Set(members.flatMap((member) => member.groups));
    this.#groups = new Map(
      groups.map((group) => {
        const id = args.defaults.group(group, { created: created.has(group), hasMembers: joined.has(group) });
        return [group, authentik.Group.get(`group-${group}`, id, undefined, child).id];
      }),
    );
    this.#policies = new Map(
      args.plan.groupPolicies.map(({ name: policy, groups: admitted }) => {
        const expression = pulumi.all(this.groupIds(admitted)).apply(memberOfAny);
        const resource = new authentik.PolicyExpression(`${policy}-policy`, { name: policy, expression }, child);
        return [JSON.stringify(admitted), resource];
      }),
    );
    for (const user of args.identityProvider.sampleUsers) {
      new authentik.User(
        `user-${user.username}`,
        {
          username: user.username,
          name: user.name,
          email: user.email,
          password: resolveSecret(user.password),
          groups: this.groupIds(user.groups),
        },
        // The Terraform provider sets the password of a new user only (resourceUserSetPassword), and usernames are unique.
        { ...child, replaceOnChanges: ["password"], deleteBeforeReplace: true },
      );
    }
    this.registerOutputs({});
  }

  /** Returns the id of each group once: the Terraform provider reports a repeated one as a change in each run. */
  groupIds(groups: readonly string[]): pulumi.Output<string>[] {
    return [...new Set(groups)].map((group) => {
      const id = this.#groups.get(group);
      assert(id, `group "${group}" is not in the plan`);
      return id;
    });
  }

  /**
   * Returns the policy that admits the members of any of the groups.
   * @param groups allowed groups, at least one
   */
  policy(groups: readonly string[]): authentik.PolicyExpression {
    const policy = this.#policies.get(JSON.stringify(combinationOf(groups)));
    assert(policy, `the plan has no policy for ${JSON.stringify(groups)}`);
    return policy;
  }
}

/** Returns an expression that counts members through child groups like a binding to a group does (measured, docs/authentik.md). */
function memberOfAny(ids: readonly string[]): string {
  return `return ak_is_group_member(request.user, pk__in=${JSON.stringify(ids)})`;
}
