import type { RateLimits } from "@merkle/wire/limits";
import type { Log } from "../core/log.js";
import type { PageBuild } from "../core/page-build.js";
import type { FeatureOptions } from "../features.js";
import { type AuthMode, describeReach, type ReachOptions } from "../identity/origin/auth-mode.js";
import type { Deadlines } from "../transports/http-server.js";
import type { Certificate, CertificateFiles } from "../transports/tls/certificate.js";

export type BrokerOptions = CoreOptions & FeatureOptions;

export interface CoreOptions {
  /** The Merkle home, where this machine stores all of Merkle's data. An absolute path. */
  readonly home: string;
  /** The address or name to listen on (default: loopback). */
  readonly host?: string | undefined;
  /** The port to listen on (default: 7423). 0 picks any free port. */
  readonly port?: number | undefined;
  /** URL of an external PostgreSQL (default: the embedded PostgreSQL). */
  readonly databaseUrl?: string | undefined;
  /** URL of a streaming replica of the database, used for reading histories and searching (SCALE-4). */
  readonly databaseReadUrl?: string | undefined;
  /**
   * The bus between the brokers on one database (NODE-1): `local` (default) for a single broker, `postgres`, or the address
   * of a NATS server, `nats://host:4222`.
   */
  readonly bus?: string | undefined;
  /** URL to which traces are sent by OTLP over HTTP (TRACE-1). If not set, tracing is off. */
  readonly tracesUrl?: string | undefined;
  /**
   * The broker's address for agents, unless the stored settings contain a different address. Any address other
   * than loopback implies invite mode (AUTH-5).
   */
  readonly publicUrl?: string | undefined;
  /**
   * Who may connect: any client, or only members. Defaults to `open` if only this machine can connect,
   * otherwise to `invite`.
   */
  readonly auth?: AuthMode | undefined;
  /** Whether to admit any client even though other machines can reach the broker. */
  readonly insecureOpen?: boolean | undefined;
  /**
   * Whether to create an admin invite in invite mode even if there is already an admin, for example because the
   * admin's key was lost.
   */
  readonly newAdminInvite?: boolean | undefined;
  /**
   * Whether to create a new audit key, not signed by any earlier key, if the home lacks the key that signed
   * the database's records. Used if that key was lost.
   */
  readonly newAuditKey?: boolean | undefined;
  /** Path of a read-only file with an audit key that several brokers share. By default the key is in the Merkle home. */
  readonly auditKeyFile?: string | undefined;
  /** Additional host names under which clients may reach the broker. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The certificate files for TLS. If set, the port accepts only https and wss. */
  readonly tls?: TlsOptions | undefined;
  /** Addresses, and ranges such as `10.0.0.0/8`, of proxies whose headers about the client are trusted (default: none). */
  readonly trustedProxies?: readonly string[] | undefined;
  /** A folder of static pages to serve at `/`. */
  readonly dashboard?: string | undefined;
  /**
   * The build of the dashboard's pages, if it is still running. Until it is done, a placeholder page is
   * served.
   */
  readonly pageBuild?: PageBuild | undefined;
  /**
   * Packs the CLI as the `.tgz` file that `/cli.tgz` serves. Called once, at the first request. If not set,
   * `/cli.tgz` is not served.
   */
  readonly packCli?: (() => Promise<Uint8Array>) | undefined;
  readonly log?: Log | undefined;
  /** Ping interval of connections, in milliseconds. */
  readonly heartbeatMs?: number | undefined;
  /**
   * The rates that differ from the defaults (GUARD-4), or "off". Off by default if any client is admitted but
   * only this machine can connect, since the machine's users could stop the broker anyway.
   */
  readonly rateLimits?: Partial<RateLimits> | "off" | undefined;
  /** Time limits for the parts of a request or hello to arrive (default: see `limits`). */
  readonly deadlines?: Partial<Deadlines> | undefined;
  /** Maximum number of WebSocket connections (default: `limits.connectionsMax`). */
  readonly connectionsMax?: number | undefined;
}

export interface TlsOptions extends CertificateFiles {
  /** Called with each certificate before it is served, including the first. */
  readonly announce?: ((certificate: Certificate) => Promise<void>) | undefined;
  /** Interval in milliseconds at which the files are checked for a renewed certificate (default: 5,000). */
  readonly pollIntervalMs?: number | undefined;
}

/** The options with all defaults applied, except defaults that depend on the stored settings. */
export type PreparedOptions = BrokerOptions & { host: string; port: number; log: Log };

/** The options with all defaults applied. */
export type ResolvedOptions = PreparedOptions & {
  auth: AuthMode;
  /** The public URL at startup: the stored setting if there is one, otherwise the option. */
  publicUrl: string | undefined;
};

export function chooseRates(
  options: ReachOptions & Pick<ResolvedOptions, "auth" | "rateLimits">,
): Partial<RateLimits> | "off" {
  return options.rateLimits ?? (isForOthers(options) ? {} : "off");
}

/** Returns whether people other than the users of this machine can connect. */
export function isForOthers({
  auth,
  ...reachOptions
}: ReachOptions & Pick<ResolvedOptions, "auth">): boolean {
  return auth === "invite" || describeReach(reachOptions) !== null;
}
