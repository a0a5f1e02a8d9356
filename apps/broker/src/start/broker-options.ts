import type { RateLimits } from "@merkle/wire/limits";
import type { Log } from "../core/log.js";
import type { PageBuild } from "../core/page-build.js";
import type { FeatureOptions } from "../features.js";
import { type AuthMode, describeReach, type ReachOptions } from "../identity/origin/auth-mode.js";
import type { Deadlines } from "../transports/http-server.js";
import type { Certificate, CertificateFiles } from "../transports/tls/certificate.js";

export type BrokerOptions = CoreOptions & FeatureOptions;

export interface CoreOptions {
  /** The Merkle home, where this machine stores everything. An absolute path. */
  readonly home: string;
  /** The address or name to listen on; loopback by default. */
  readonly host?: string | undefined;
  /** 7423 by default; 0 takes any free port. */
  readonly port?: number | undefined;
  /** A PostgreSQL of the user's own; without it the embedded one is started. */
  readonly databaseUrl?: string | undefined;
  /** A streaming replica of that database, from which histories and searches are read (SCALE-4). */
  readonly databaseReadUrl?: string | undefined;
  /**
   * How the brokers on one database reach each other (NODE-1): `local`, the default, for a broker that is alone, `postgres`, or
   * the address of a NATS server, `nats://host:4222`.
   */
  readonly bus?: string | undefined;
  /** Where traces are sent, by OTLP over HTTP (TRACE-1); without it none are made. */
  readonly tracesUrl?: string | undefined;
  /** The address that agents are given, unless the settings name one. One that is not loopback means invite mode (AUTH-5). */
  readonly publicUrl?: string | undefined;
  /** Whether everyone or only members are let in. By default everyone is where only this machine can connect, and members elsewhere. */
  readonly auth?: AuthMode | undefined;
  /** Lets everyone in although other machines can reach the broker. */
  readonly insecureOpen?: boolean | undefined;
  /** In invite mode, makes an invite for an admin although there is an admin already, whose key may be lost. */
  readonly newAdminInvite?: boolean | undefined;
  /**
   * Uses a new audit key, for which no earlier key vouches, if the home lacks the key that signed the database's records: for a
   * key that was lost.
   */
  readonly newAuditKey?: boolean | undefined;
  /** A file with the audit key that several brokers share; it is only read. By default the key is in the home. */
  readonly auditKeyFile?: string | undefined;
  /** Further host names that requests may be meant for. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Makes the port speak https and wss, and nothing else. */
  readonly tls?: TlsOptions | undefined;
  /** The addresses, and ranges such as `10.0.0.0/8`, of proxies whose headers about the client are trusted; none by default. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** A folder of static pages to serve at `/`. */
  readonly dashboard?: string | undefined;
  /** The pages of that folder that are still being built; a page says so until then. */
  readonly pageBuild?: PageBuild | undefined;
  /** Packs the CLI as the `.tgz` that `/cli.tgz` serves; called once, at the first request. Without it nothing is served there. */
  readonly packCli?: (() => Promise<Uint8Array>) | undefined;
  readonly log?: Log | undefined;
  /** How often connections are pinged. */
  readonly heartbeatMs?: number | undefined;
  /**
   * The rates that differ from the usual ones (GUARD-4), or "off". By default they are off where everyone is let in and only this
   * machine can connect: its users could stop the broker anyway.
   */
  readonly rateLimits?: Partial<RateLimits> | "off" | undefined;
  /** How long the broker waits for what a client has begun; by default as `limits` say. */
  readonly deadlines?: Partial<Deadlines> | undefined;
  /** The most WebSocket connections at once; `limits.connectionsMax` by default. */
  readonly connectionsMax?: number | undefined;
}

export interface TlsOptions extends CertificateFiles {
  /** Called with each certificate before it is served, the first one included. */
  readonly announce?: ((certificate: Certificate) => Promise<void>) | undefined;
  /** How often the files are checked for a renewed certificate, in milliseconds; 5,000 by default. */
  readonly lookEveryMs?: number | undefined;
}

/** The options with defaults filled in, except for those that need the stored settings. */
export type Prepared = BrokerOptions & { host: string; port: number; log: Log };

/** The options with all defaults filled in. */
export type Resolved = Prepared & {
  auth: AuthMode;
  /** The public URL in force at the start: the stored setting, else the option. */
  publicUrl: string | undefined;
};

export function chooseRates(
  options: ReachOptions & Pick<Resolved, "auth" | "rateLimits">,
): Partial<RateLimits> | "off" {
  return options.rateLimits ?? (isForOthers(options) ? {} : "off");
}

/** Whether anyone but the people of this machine can connect. */
export function isForOthers({ auth, ...reachOptions }: ReachOptions & Pick<Resolved, "auth">): boolean {
  return auth === "invite" || describeReach(reachOptions) !== null;
}
