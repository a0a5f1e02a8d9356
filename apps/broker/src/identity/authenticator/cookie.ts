import type { RequestOrigin } from "../origin/request-origin.js";
import { joinHalves } from "../tokens/token.js";

/**
 * The cookie of a signed-in browser. Over TLS its name has the prefix by which browsers promise that no other host, and no
 * page in clear text, has set it (RFC 6265bis, section 4.1.3).
 */
function cookieName({ secure = false }: Pick<RequestOrigin, "secure">): string {
  return secure ? "__Host-merkle_session" : "merkle_session";
}

/** The cookie's value, of all cookies that came. */
function readCookie(header: string | undefined, origin: Pick<RequestOrigin, "secure">): string | undefined {
  const start = `${cookieName(origin)}=`;
  const found = header?.split(/; */).find((each) => each.startsWith(start));
  return found?.slice(start.length);
}

/** Returns the token that a browser is signed in by; undefined where either half is missing (TOKEN-8). */
export function readBrowserToken(
  header: string | undefined,
  page: string | undefined,
  origin: Pick<RequestOrigin, "secure">,
): string | undefined {
  const cookie = readCookie(header, origin);
  return cookie !== undefined && page !== undefined ? joinHalves(cookie, page) : undefined;
}

/** The token of an Authorization header. */
export function readBearer(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
}

/** A Set-Cookie header: out of reach of scripts, and left out of whatever another site asks for (ENTER-4). */
export function writeCookie(
  origin: Pick<RequestOrigin, "secure">,
  { value, maxAgeS }: { readonly value: string; readonly maxAgeS: number },
): string {
  const secure = origin.secure ? "; Secure" : "";
  return `${cookieName(origin)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeS}${secure}`;
}
