/** Sections of the local stack's file that several tests replace. */

/** The identity provider of the file without groups, users and machines. */
export const INSTALLED_IDENTITY_PROVIDER = {
  install: true,
  token: "${AUTHENTIK_TOKEN}",
  admin_password: "${AUTHENTIK_ADMIN_PASSWORD}",
  secret_key: "${AUTHENTIK_SECRET_KEY}",
  database: { password: "${AUTHENTIK_DATABASE_PASSWORD}" },
};

/** The verification job without a service account, which the section above does not have. */
export const VERIFICATION = { schedule: "0 0 1 1 *" };
