/** Modes of libpq that encrypt always or never. */
export const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
