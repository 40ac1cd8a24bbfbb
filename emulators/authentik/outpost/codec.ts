import { createHmac, timingSafeEqual } from "node:crypto";

/** All providers of an outpost sign under this name, so a value is valid under every cookie name (measured.md, Outposts). */
const name = "authentik_proxy";

/** Signs values and reads signed ones, as `securecookie` does. `maxAge` in seconds; 0 = values never expire. */
export class Codec {
  readonly #secret: string;
  readonly #maxAge: number;

  constructor(secret: string, maxAge: number) {
    this.#secret = secret;
    this.#maxAge = maxAge;
  }

  encode(value: unknown): string {
    const signed = `${Math.floor(Date.now() / 1000)}.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;
    return `${signed}.${this.#mac(signed).toString("base64url")}`;
  }

  /** Throws for a value that has another signature, or that is older than `maxAge`. */
  decode(text: string): unknown {
    const [date = "", value = "", mac = "", ...rest] = text.split(".");
    const given = Buffer.from(mac, "base64url");
    const expected = this.#mac(`${date}.${value}`);
    if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new Error("the value is not valid");
    }
    if (this.#maxAge > 0 && Number(date) < Date.now() / 1000 - this.#maxAge) throw new Error("expired timestamp");
    return JSON.parse(Buffer.from(value, "base64url").toString());
  }

  #mac(text: string): Buffer {
    return createHmac("sha256", this.#secret).update(`${name}|${text}`).digest();
  }
}
