/** Sections of a stack file that several tests and benchmarks replace. */

/** Returns the section `identity_provider` of a stack that installs authentik, without groups, users and machines. */
export function identityProvider(fields: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    token: "${AUTHENTIK_TOKEN}",
    admin_password: "${AUTHENTIK_ADMIN_PASSWORD}",
    secret_key: "${AUTHENTIK_SECRET_KEY}",
    database: { password: "${AUTHENTIK_DATABASE_PASSWORD}", protect: false },
    ...fields,
  };
}

/** The verification job without a service account, which the section above does not have. */
export const VERIFICATION = { schedule: "0 0 1 1 *" };
