import type { Fields, Flow } from "./objects.ts";

/** What the flow executor answers, by the component that shows it. */
export function challenge(flow: Flow, component: string, fields: Fields): Fields {
  const flow_info = { title: flow.title, background: "", cancel_url: "/flows/-/cancel/", layout: "stacked" };
  return { flow_info, component, ...fields };
}

/** Asks for the username. */
export function identify(flow: Flow, response_errors: Fields = {}): Fields {
  return challenge(flow, "ak-stage-identification", {
    user_fields: ["email", "username"],
    password_fields: false,
    primary_action: "Log in",
    sources: [],
    flow_designation: flow.designation,
    show_source_labels: false,
    response_errors,
  });
}

/** Asks for the password of the user that was identified. */
export function askPassword(flow: Flow, pending_user: string, response_errors: Fields = {}): Fields {
  const pending = { pending_user, pending_user_avatar: "/static/user.svg" };
  return challenge(flow, "ak-stage-password", { ...pending, allow_show_password: false, response_errors });
}

/** Reports that a policy denies access. */
export function denied(flow: Flow, error_message: string): Fields {
  return challenge(flow, "ak-stage-access-denied", { pending_user: "", pending_user_avatar: "", error_message });
}

/** Django refuses a redirect to another scheme than http, https and ftp, and the flow shows that exception (measured for `javascript:`, `data:` and `x:`). */
export function flowError(flow: Flow): Fields {
  return challenge(flow, "ak-stage-flow-error", { request_id: "" });
}

export const wrong = (field: string, string: string, code: string): Fields => ({ [field]: [{ string, code }] });
