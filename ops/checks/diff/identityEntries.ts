/** Statements about clients, users, groups and domains. Pure. */
import { type Change, duration, type Effect, fieldsOnly, list, type Table, value } from "./entry.ts";
import { difference, differenceText, mark, names } from "./phrases.ts";

const client: Table["client"] = {
  where: (service) => `OAuth client ${service}`,
  added: {
    sentence: (_, { redirectUris, scopes, clientType, accessTokenValidity, refreshTokenValidity }) =>
      `can sign users in${clientType === "public" ? " without a secret" : ""}; it redirects to ${names(redirectUris)}` +
      (scopes.length > 0 ? `, and may request ${names(scopes)}` : "") +
      `; access tokens are valid for ${mark(accessTokenValidity)}` +
      (refreshTokenValidity === undefined ? "" : `, refresh tokens for ${mark(refreshTokenValidity)}`),
    effect: () => "more",
  },
  removed: {
    sentence: ({ redirectUris }) => `can no longer sign users in; it redirected to ${names(redirectUris)}`,
    effect: () => "less",
  },
  fields: {
    redirectUris: list("sign-ins may redirect to", "sign-ins may no longer redirect to"),
    scopes: list("may request the scopes", "may no longer request the scopes"),
    groups: {
      ...value("admits", (groups: readonly string[]) => names(groups) || "everyone who can sign in"),
      effect: (before, after) => {
        const isWider = after.length === 0 || difference(before, after).added.length > 0;
        return before.length > 0 && isWider ? "more" : "less";
      },
      implied: (_, __, { id }, { after, about }) =>
        about("host").some((host) => host.field === "allowedUsers" && after.host.get(host.id)?.entry === id),
    },
    clientType: {
      sentence: (_, after) => (after === "public" ? "no longer needs a secret" : "needs its secret"),
      effect: (_, after) => (after === "public" ? "more" : "less"),
    },
    accessTokenValidity: duration("its access tokens are valid for"),
    refreshTokenValidity: {
      ...duration("its refresh tokens are valid for"),
      // They are set only with the scope `offline_access`, whose change is a separate statement.
      implied: (before, after) => before === undefined || after === undefined,
    },
    // A program that knows the other value can act as the client.
    clientId: { ...value("its client id is"), effect: () => "more" },
    clientSecret: {
      ...value("its secret is"),
      effect: () => "more",
      // A public client has none, which its type states.
      implied: (before, after) => before === undefined || after === undefined,
    },
    subjectMode: {
      ...value("identifies users by"),
      // Users with the same email address, or without one, are one user for the application.
      effect: (_, after) => (after === "user_email" ? "more" : "other"),
    },
    slug: value("its issuer is that of the application"),
    secret: value("its credentials are in the Secret"),
    launchUrl: value("the portal routes to"),
    name: value("is called"),
  },
};

const member: Table["member"] = {
  where: (name) => name,
  added: {
    sentence: (_, { kind, groups }, change) =>
      `is a new ${kind}${groups.length > 0 ? ` in ${names(groups)}` : ""}${accessText(change)}`,
    effect: () => "more",
  },
  removed: { sentence: ({ kind }, _, change) => `is no longer a ${kind}${accessText(change)}`, effect: () => "less" },
  fields: {
    kind: { ...value("is", (kind: string) => `a ${kind}`), effect: accessEffect },
    groups: {
      sentence: (before, after, change) =>
        differenceText(difference(before, after), "joins", "leaves") + accessText(change),
      // A group can give access to more than the hosts of the stack: `authentik Admins` are superusers.
      effect: (before, after) => (difference(before, after).added.length > 0 ? "more" : "less"),
    },
  },
};

function accessEffect(_: unknown, __: unknown, { access: { added, removed } }: Change): Effect {
  return added.length > 0 ? "more" : removed.length > 0 ? "less" : "other";
}

function accessText({ access }: Change): string {
  const text = differenceText(access, "has access to", "no longer has access to", ", ");
  return text && `: ${text}`;
}

const createdText = (isCreated: boolean) =>
  isCreated ? "is created unless it exists" : "is not created by the stack and must exist";

const group: Table["group"] = {
  where: (name) => `group ${name}`,
  added: { sentence: (_, { created }) => createdText(created) },
  removed: {
    sentence: () => "is no longer used; it remains in the identity provider, with its members",
    effect: () => "less",
  },
  fields: { created: { sentence: (_, created) => createdText(created) } },
};

const domain: Table["domain"] = {
  ...fieldsOnly("records of ", {
    hosts: {
      sentence: list("name", "no longer name").sentence,
      // Records are added and removed with their hosts.
      implied: (before, after, _, diff) => {
        const { added, removed } = difference(before, after);
        return !added.some((host) => diff.before.host.has(host)) && !removed.some((host) => diff.after.host.has(host));
      },
    },
    targets: { sentence: list("point at", "no longer point at").sentence },
    owner: value("belong to"),
  }),
  added: {
    sentence: (_, { targets }) => `point at ${names(targets)}`,
    // Stated with its hosts, unless another domain had them.
    implied: (_, { hosts }, __, diff) => !hosts.some((host) => diff.before.host.has(host)),
  },
};

const login: Table["login"] = fieldsOnly("service ", {
  username: { ...value("its username is"), effect: () => "more" },
  // A user who knows the other password signs in.
  password: { ...value("its password is"), effect: () => "more" },
});

export const IDENTITY = { client, member, login, group, domain };
