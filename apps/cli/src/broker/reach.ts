import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { ConnectionOptions } from "node:tls";
import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { isClearText } from "@merkle/wire/text";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import { homeFiles } from "../core/merkle-home.js";
import type { BrokerAddress, Config } from "../settings/config.js";
import { findRunningBroker } from "./run-file.js";

/** Options for calling a broker: the certificates to trust, the mesh and the identity. */
export type Reach = Pick<Config, "home" | "insecure" | "ca" | "mesh" | "token"> & {
  readonly nodeTrust?: Config["nodeTrust"];
  /** Called when a reply comes from a broker of a different build. */
  readonly onOtherBuild?: ((build: number) => void) | undefined;
};

/**
 * A broker's address with the options for calling it. Without `reach`, calls are anonymous and must use
 * encryption or a loopback address.
 */
export interface ReachableAddress extends BrokerAddress {
  readonly reach?: Reach | undefined;
}

/** Any client that can call operations: the REST client of the commands, or the WebSocket client. */
export interface OperationCaller {
  call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
}

export function toReach({ home, insecure, ca, nodeTrust, mesh, token, onOtherBuild }: Reach): Reach {
  return { home, insecure, ca, mesh, token, onOtherBuild, ...(nodeTrust && { nodeTrust }) };
}

/**
 * Returns the environment variables that pass these options to another merkle process. The home is passed
 * separately. A token is never passed on.
 */
export function toConnectionVariables({
  insecure,
  ca,
  nodeTrust,
  mesh,
  token,
}: Reach): Readonly<Record<string, string>> {
  return {
    ...nodeTrust,
    ...(insecure && { MERKLE_INSECURE: "1" }),
    ...(ca !== undefined && { MERKLE_CA: ca }),
    ...(mesh !== undefined && { MERKLE_MESH: mesh }),
    // The token in this environment is for another broker, so the other process must not see it.
    ...(token === null && { MERKLE_TOKEN: "" }),
  };
}

/**
 * Returns the certificates that a TLS connection trusts. Called for every connection, because certificates
 * can be renewed.
 */
export type TlsOptionsFactory = () => ConnectionOptions;

/**
 * Refuses an unencrypted connection to another machine. Returns the certificates to trust, or undefined for
 * Node's defaults.
 *
 * @throws CliError `clear_text` if others on the network could read the traffic (TLS-15); `usage` if the file
 * of authorities is invalid
 */
export async function prepareTls(
  base: string,
  reach: Reach | undefined,
): Promise<TlsOptionsFactory | undefined> {
  if (isClearText(base) && !reach?.insecure && !(await isOwn(base, reach))) throw clearText(base);
  if (!base.startsWith("https:") || !reach) return undefined;
  if (await isOwn(base, reach)) return () => trustOnly(homeFiles.certificate(reach.home));
  const { ca } = reach;
  return ca === undefined ? undefined : () => trustAuthorities(ca);
}

/**
 * Returns the key under which credentials for an address are stored (CLI-81). All loopback host names share
 * one key. The broker running on this home has the key `home`, whichever port it uses.
 */
export async function getAddressKey(base: string, home: string): Promise<string> {
  return (await isOwn(base, { home })) ? "home" : toAddressKey(base);
}

/** Returns the key for an address without checking which broker runs there. */
export function toAddressKey(base: string): string {
  return `${toPlainOrigin(base)}${new URL(base).pathname.replace(/\/$/, "")}`;
}

/** Returns whether the address belongs to the broker that runs on this home and this machine. */
async function isOwn(base: string, reach: Pick<Reach, "home"> | undefined): Promise<boolean> {
  const running = reach && (await findRunningBroker(reach.home));
  if (!running || running.host !== hostname()) return false;
  return toPlainOrigin(running.url) === toPlainOrigin(base);
}

function toPlainOrigin(address: string): string {
  const { protocol, hostname: host, host: withPort, port } = new URL(address);
  const isLoopback = !isClearText(`http://${host}`);
  return `${protocol}//${isLoopback ? `localhost:${port}` : withPort}`;
}

/** Trusts only the certificate in the broker's home, regardless of issuer and names (TLS-8). */
function trustOnly(file: string): ConnectionOptions {
  const ca = readFileSync(file, "utf8");
  const own = new X509Certificate(ca).raw;
  return {
    ca,
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, { raw }) =>
      raw.equals(own) ? undefined : new Error(`its certificate is not the one in ${file}`),
  };
}

/** Trusts the authorities in a file, which may also contain a broker's self-signed certificate. */
function trustAuthorities(file: string): ConnectionOptions {
  let ca: string;
  try {
    ca = readFileSync(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw usageError(`The CA file ${file} (--ca, MERKLE_CA) cannot be read (${code}).`);
  }
  if (ca.includes("-----BEGIN CERTIFICATE-----")) return { ca, allowPartialTrustChain: true };
  throw usageError(
    `${file} (--ca, MERKLE_CA) contains no PEM certificate: expected a line -----BEGIN CERTIFICATE-----.`,
  );
}

function clearText(base: string): CliError {
  return new CliError(
    "clear_text",
    `Refusing to connect to ${base} unencrypted: anyone on the network could read messages and steal your credential. ` +
      "Use an https:// address (merkle up --tls-cert, or a proxy in front of it), or add --insecure to allow it.",
    { exitCode: exitCodes.usage },
  );
}
