/** A part of the data API's database that only a superuser can set up, or the main user of a managed server with that right. */
export interface SuperuserFeature {
  readonly kind: "event trigger" | "setting" | "parameter";
  readonly name: string;
  /** Of a setting of the authenticator. */
  readonly value?: string;
  /** What applies without it. */
  readonly without: string;
}

const NO_RELOAD =
  "PostgREST does not notice a changed schema: run NOTIFY pgrst, 'reload schema' after new or changed relations";

export const SUPERUSER_FEATURES: readonly SuperuserFeature[] = [
  {
    kind: "event trigger",
    name: "gatehouse_guard_private",
    without:
      "a view in an exposed schema that reads a private one is not refused when it is created; verify finds it, and a deployment that runs the migrations refuses it",
  },
  { kind: "event trigger", name: "gatehouse_schema_changed", without: NO_RELOAD },
  { kind: "event trigger", name: "gatehouse_schema_dropped", without: NO_RELOAD },
  {
    kind: "event trigger",
    name: "gatehouse_comments",
    without: "comments are carried to views by a run of the migrations only",
  },
  {
    kind: "setting",
    name: "temp_file_limit",
    value: "512MB",
    without: "a request can write temporary files up to the server's own temp_file_limit",
  },
  {
    kind: "setting",
    name: "log_min_error_statement",
    value: "panic",
    without: "the server's log contains the statements of requests that fail, with what clients send",
  },
  {
    kind: "parameter",
    name: "log_min_messages",
    without: "the server's log contains an error for each response 304",
  },
];
