/** Modes of libpq that encrypt always or never. In a file without imports, which images of the test cluster contain. */
export const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
