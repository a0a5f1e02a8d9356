import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { ConnectionOptions } from "node:tls";
import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { isClearText } from "@merkle/wire/client";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import { homeFiles } from "../core/merkle-home.js";
import type { BrokerAddress, Config } from "../settings/config.js";
import { findRunningBroker } from "./run-file.js";

/** How this machine's commands may speak to a broker, whom they take for one, and as whom they come. */
export type Reach = Pick<Config, "home" | "insecure" | "ca" | "mesh" | "token"> & {
  readonly nodeTrust?: Config["nodeTrust"];
  /** called when a reply comes from a broker of another build. */
  readonly onOtherBuild?: ((build: number) => void) | undefined;
};

/** Where a broker is, and how it may be spoken to; without a word of that only what is safe anywhere is done. */
export interface ReachableAddress extends BrokerAddress {
  readonly reach?: Reach | undefined;
}

/** Whatever calls a broker's operations: the REST client of the commands, or the client of the wire. */
export interface OperationCaller {
  call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
}

export function toReach({ home, insecure, ca, nodeTrust, mesh, token, onOtherBuild }: Reach): Reach {
  return { home, insecure, ca, mesh, token, onOtherBuild, ...(nodeTrust && { nodeTrust }) };
}

/** The environment that passes it on to another merkle, beside its home. A token is never written down for it. */
export function reachVariables({
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
    // An empty one says nothing: the environment's token is not for this broker, and must not reach it from there.
    ...(token === null && { MERKLE_TOKEN: "" }),
  };
}

/** The certificates that a connection over TLS believes. They are read anew for each, since certificates are renewed. */
export type Trust = () => ConnectionOptions;

/**
 * Makes sure that nobody on the way can listen, and finds what a connection to this address believes; undefined where
 * that is what Node believes by itself.
 *
 * @throws CliError `clear_text` where everyone on the way could (TLS-15); `usage` for a file of authorities that is none
 */
export async function reachBroker(base: string, reach: Reach | undefined): Promise<Trust | undefined> {
  if (isClearText(base) && !reach?.insecure && !(await isOwn(base, reach))) throw clearText(base);
  if (!base.startsWith("https:") || !reach) return undefined;
  if (await isOwn(base, reach)) return () => trustOnly(homeFiles.certificate(reach.home));
  const { ca } = reach;
  return ca === undefined ? undefined : () => trustAuthorities(ca);
}

/**
 * The name by which credentials for an address are kept (CLI-81). All loopback names are one, and the broker that runs on this
 * home is `home`, whatever its port.
 */
export async function placeOf(base: string, home: string): Promise<string> {
  return (await isOwn(base, { home })) ? "home" : toPlace(base);
}

/** The same for an address alone, whoever is there. */
export function toPlace(base: string): string {
  return `${toPlainOrigin(base)}${new URL(base).pathname.replace(/\/$/, "")}`;
}

/** Whether it is the broker of this very home, which this machine runs itself. */
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

/** Believes the one certificate that the broker has put into its home, whoever signed it and whatever name it is for (TLS-8). */
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

/** One of the file may also be a broker's own, that nobody else has signed. */
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
