/** One JSON line per event, as authentik logs. Never given secrets. */
export function log(level: string, event: string, fields: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ event, level, logger: "stand-in for authentik", ...fields }));
}
