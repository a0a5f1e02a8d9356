import type { RequestOrigin } from "../origin/request-origin.js";
import { joinHalves } from "../tokens/token.js";

/**
 * Returns the name of a signed-in browser's cookie. Over TLS, the name has the `__Host-` prefix. Browsers
 * then guarantee that neither another host nor an unencrypted page has set the cookie (RFC 6265bis, section
 * 4.1.3).
 */
function toCookieName({ secure = false }: Pick<RequestOrigin, "secure">): string {
  return secure ? "__Host-merkle_session" : "merkle_session";
}

/** Finds the value of the session cookie in a Cookie header. */
function readCookie(header: string | undefined, origin: Pick<RequestOrigin, "secure">): string | undefined {
  const start = `${toCookieName(origin)}=`;
  const pair = header?.split(/; */).find((each) => each.startsWith(start));
  return pair?.slice(start.length);
}

/** Returns the token of a signed-in browser, or undefined if either half is missing (TOKEN-8). */
export function readBrowserToken(
  header: string | undefined,
  page: string | undefined,
  origin: Pick<RequestOrigin, "secure">,
): string | undefined {
  const cookie = readCookie(header, origin);
  return cookie !== undefined && page !== undefined ? joinHalves(cookie, page) : undefined;
}

/** Returns the token of an Authorization header. */
export function readBearer(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? "")?.[1];
}

/** Returns a Set-Cookie header. Scripts cannot read the cookie, and requests from other sites do not send it (ENTER-4). */
export function writeCookie(
  origin: Pick<RequestOrigin, "secure">,
  { value, maxAgeS }: { readonly value: string; readonly maxAgeS: number },
): string {
  const secure = origin.secure ? "; Secure" : "";
  return `${toCookieName(origin)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeS}${secure}`;
}
