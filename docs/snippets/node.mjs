// Verifies X-idp-jwt. Usage: ISSUER=https://authentik.example.org/application/o/gatehouse-identity/ AUDIENCE=gatehouse-identity node node.mjs < token
import { createRemoteJWKSet, jwtVerify } from "jose";

const { ISSUER: issuer, AUDIENCE: audience } = process.env;
const keys = createRemoteJWKSet(new URL("jwks/", issuer));

/** @returns the claims; throws when the token is not the gateway's */
export async function identityOf(token) {
  const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms: ["RS256"] });
  return payload;
}

const token = (await process.stdin.setEncoding("utf8").toArray()).join("").trim();
const { preferred_username, groups } = await identityOf(token);
console.log(JSON.stringify({ preferred_username, groups }));
