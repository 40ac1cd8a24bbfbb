/** The release that the emulator of authentik reports. */
export const version = "2026.5.7";
