const claim = "io.modelcontextprotocol/protocolVersion";
const firstStateless = "2026-07-28";

/**
 * Whether something of a request may be of the revision without sessions, in which each names its revision itself. It is
 * asked of every request, before what serves that revision is loaded; that decides.
 */
export function namesRevision(headers: Headers, body: unknown): boolean {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  const claims = messages.some((message) => claim in Object(Object(Object(message).params)._meta));
  return claims || (headers.get("mcp-protocol-version") ?? "") >= firstStateless;
}
