import type { IncomingMessage } from "node:http";
import { MerkleError } from "@merkle/wire";
import { isLoopback } from "./auth-mode.js";
import { toAddress } from "./to-address.js";

type Headers = IncomingMessage["headersDistinct"];

/** Headers that proxies and tunnels add. The broker's own clients send none of these. */
const proxyHeader = /^(?:via|forwarded|x-forwarded-.*|x-real-ip)$/;

/** The `X-Forwarded-*` headers whose values are neither hosts nor addresses. */
const hostless = /^x-forwarded-(?:proto|protocol|port|scheme|ssl|prefix|path|uri|method)$/;

/** Returns whether a request's headers show that a proxy or tunnel forwarded it. */
export function isProxied(headers: Headers): boolean {
  return Object.keys(headers).some((name) => proxyHeader.test(name));
}

/**
 * Refuses a request that a proxy or tunnel forwarded from another machine. A loopback broker can safely admit
 * anyone only because no other machine can reach it. Without this check, a tunnel that rewrites Host would
 * admit the whole internet. A local proxy that serves only this machine, such as a development server, is
 * allowed.
 *
 * @throws forbidden unless the proxy headers contain at least one host or address and all of them are loopback
 */
export function refuseProxied(headers: Headers): void {
  const names = Object.keys(headers).filter((name) => proxyHeader.test(name));
  if (names.length === 0) return;
  const hops = names.flatMap((name) => readHops(name, headers[name] ?? []).map((hop) => ({ name, hop })));
  if (hops.length === 0) throw refuse(names[0] ?? "", headers);
  const remote = hops.find(({ hop }) => !isLoopbackHop(hop));
  if (remote) throw refuse(remote.name, headers);
}

/**
 * Returns the hosts and addresses in one proxy header. Text that cannot be parsed is returned whole, so it does not count as
 * loopback.
 */
function readHops(name: string, values: readonly string[]): string[] {
  const parts = values.flatMap((value) => value.split(",")).map((part) => part.trim());
  if (name === "via") return parts.map((part) => /^\S+\s+(\S+)/.exec(part)?.[1] ?? part);
  if (name === "forwarded") return parts.flatMap((part) => part.split(";")).flatMap(readForwardedPair);
  return hostless.test(name) ? [] : parts;
}

/** Returns the host or address of one `name=value` pair of `Forwarded` (RFC 7239). */
function readForwardedPair(pair: string): string[] {
  const [, name, value] = /^\s*([\w-]+)\s*=\s*"?(.*?)"?\s*$/.exec(pair) ?? [];
  if (name === undefined || value === undefined) return [pair];
  return /^(?:for|by|host)$/i.test(name) ? [value] : [];
}

function isLoopbackHop(hop: string): boolean {
  return isLoopback(toAddress(hop) ?? hop.toLowerCase().replace(/:\d{1,5}$/, ""));
}

function refuse(name: string, headers: Headers): MerkleError {
  const value = JSON.stringify((headers[name] ?? []).join().slice(0, 100));
  return new MerkleError(
    "forbidden",
    `This broker is open to everyone on this machine, but a proxy forwarded this request from elsewhere (${name}: ${value}). ` +
      "To serve others through a proxy, restart the broker with --trusted-proxy <the proxy's address>: it then admits only members.",
  );
}
