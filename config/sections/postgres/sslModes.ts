/** Modes of libpq that encrypt always or never. */
export const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;

/** Returns the mode for a server that the stack installs: CloudNativePG creates a certificate, the image of Postgres none. */
export function installedSslmode(kind: "statefulset" | "cloudnativepg"): "disable" | "require" {
  return kind === "statefulset" ? "disable" : "require";
}
