import { type Cause, causeOf } from "./cause.ts";

export const openApplication: Cause = ({ authentication, entry, url }, { answers }) => {
  const status = answers.get(url)?.withoutSession.hops[0]?.status ?? 0;
  if (entry === undefined || authentication !== "none" || status < 200 || status >= 300) return undefined;
  return causeOf("application requires no login", {
    message: `application "${entry}" answers requests without a session; an oauth2 application has to require the login itself`,
    evidence: [`${status} from the application without a session`],
    hint: `set it up with the Secret of its credentials (docs/applications.md), or set enforce: gateway in the entry`,
  });
};
