/** `Authorization` of a user that no service has. */
export const WRONG_PASSWORD = `Basic ${Buffer.from("gatehouse-unknown:wrong").toString("base64")}`;

/** What `verify` expects of an exposure; plain data, because the verification job reads it from a file. */
export interface Expectation {
  /** Response to a request for a page without a session. */
  readonly page: ExpectedPage;
  /** Other requests without a session. */
  readonly refusals: readonly ExpectedRefusal[];
  /** How a user signs in; undefined = without an account nothing is missing. */
  readonly signIn: "session" | "password" | "application" | undefined;
}

export type ExpectedPage =
  /** A redirect to the login page of the identity provider. */
  | { readonly kind: "login" }
  /** A status, and a header by its name in messages. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly header?: { readonly label: string; readonly name: string; readonly value: string };
    }
  /** A refusal or a redirect by the application itself. */
  | { readonly kind: "application" };

export interface ExpectedRefusal {
  /** Name of the check, after the URL. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
}
