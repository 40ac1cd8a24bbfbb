/** Returns an IP address as a URL contains it: one of version 6 in brackets (RFC 3986, 3.2.2). */
export function urlHost(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
