/** The release that the emulator of authentik reports. */
export const VERSION = "2026.5.7";
