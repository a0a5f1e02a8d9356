/** Whether a host is this machine by its very name. An IPv6 address may stand in the brackets that it has in a URL. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
}
