/**
 * Whether what is sent to this address can be read on its way: it goes to another machine, and without TLS. What goes to a
 * loopback name or address never leaves this one.
 */
export function isClearText(address: string | URL): boolean {
  const { protocol, hostname } = new URL(address);
  return (protocol === "http:" || protocol === "ws:") && !isLoopbackName(hostname);
}

/** A host as it stands in an address: an IPv6 one in brackets, and every other form of an IPv4 one made plain by `URL`. */
function isLoopbackName(host: string): boolean {
  return (
    host === "localhost" ||
    host === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(host) ||
    /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(host)
  );
}
