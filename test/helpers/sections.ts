/** Sections of the local stack's file that several tests say anew. */

/** The identity provider as the file has it, without groups, users and machines. */
export const INSTALLED_IDENTITY_PROVIDER = {
  install: true,
  token: "${AUTHENTIK_TOKEN}",
  admin_password: "${AUTHENTIK_ADMIN_PASSWORD}",
  secret_key: "${AUTHENTIK_SECRET_KEY}",
  database: { password: "${AUTHENTIK_DATABASE_PASSWORD}" },
};

/** The proof from inside the cluster without the machine that signs in, which the section above does not have. */
export const VERIFICATION = { schedule: "0 0 1 1 *" };
