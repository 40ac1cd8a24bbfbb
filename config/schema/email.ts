import { domainToASCII } from "node:url";

/** As Django's `EmailValidator` and `EmailField` (measured with authentik 2026.5.0-rc1), without quoted local parts and addresses in brackets. */
const LOCAL_PART = /^[-!#$%&'*+/=?^_`{}|~0-9a-z]+(\.[-!#$%&'*+/=?^_`{}|~0-9a-z]+)*$/i;
const DOMAIN = /^(([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]([a-z-]{0,61}[a-z])|xn--[a-z0-9]{1,59}))$/i;
const MAX_LENGTH = 254;

/** Returns whether authentik accepts an email address. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const written = text.slice(at + 1);
  const domain = /^[\x20-\x7e]*$/.test(written) ? written : domainToASCII(written);
  if (text.length > MAX_LENGTH || !LOCAL_PART.test(text.slice(0, Math.max(at, 0)))) return false;
  return domain === "localhost" || DOMAIN.test(domain);
}
