/**
 * Returns true if data sent to this address can be read in transit: the address belongs to another machine
 * and does not use TLS. Data sent to a loopback name or address never leaves this machine.
 */
export function isClearText(address: string | URL): boolean {
  const { protocol, hostname } = new URL(address);
  return (protocol === "http:" || protocol === "ws:") && !isLoopbackName(hostname);
}

/** Returns true if the address leads every machine to itself, so that it is of no use to others. */
export function isLoopbackAddress(address: string | URL): boolean {
  return isLoopbackName(new URL(address).hostname);
}

/**
 * Returns true for a loopback host, as `URL` writes it: IPv6 in brackets, and IPv4 in its standard form, to
 * which `URL` converts all other forms.
 */
function isLoopbackName(host: string): boolean {
  return (
    host === "localhost" ||
    host === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(host) ||
    /^\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\]$/.test(host)
  );
}
