/** Formats of the API schema as authentik's validators accept them. */
const USER = /^[-!#$%&'*+/=?^_`{}|~0-9a-z]+(\.[-!#$%&'*+/=?^_`{}|~0-9a-z]+)*$/i;
const DOMAIN =
  /^[a-z\u00a1-\uffff0-9](?:[a-z\u00a1-\uffff0-9-]{0,61}[a-z\u00a1-\uffff0-9])?(?:\.(?!-)[a-z\u00a1-\uffff0-9-]{1,63}(?<!-))*\.(?!-)(?:[a-z\u00a1-\uffff-]{2,63}|xn--[a-z0-9]{1,59})(?<!-)$/i;

/** Returns whether Django's `EmailValidator` (5.2) accepts an address. Quoted local parts and addresses in brackets, which it accepts, are refused. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const domain = text.slice(at + 1);
  return (
    at > 0 && text.length <= 254 && USER.test(text.slice(0, at)) && (domain === "localhost" || DOMAIN.test(domain))
  );
}

/** Schemes and shape that `DomainlessFormattedURLValidator` accepts, which also limits the characters of the host. */
const URL_TEXT = /^(?:https?|ftps?|blank|ssh|sftp):\/\/[^\s/?#]+(?:[/?#]\S*)?$/i;

/** Returns whether an application accepts a launch URL, e.g. with `%(username)s`; empty = none. */
export function isUrl(text: string): boolean {
  return text === "" || URL_TEXT.test(text);
}
