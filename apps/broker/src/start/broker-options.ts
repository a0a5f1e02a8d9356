import type { RateLimits } from "@merkle/wire/limits";
import type { Log } from "../core/log.js";
import type { PageBuild } from "../core/page-build.js";
import type { FeatureOptions } from "../features.js";
import { type AuthMode, describeReach, type ReachOptions } from "../identity/origin/auth-mode.js";
import type { Deadlines } from "../transports/http-server.js";
import type { Certificate, CertificateFiles } from "../transports/tls/certificate.js";

export type BrokerOptions = CoreOptions & FeatureOptions;

export interface CoreOptions {
  /** The Merkle home: everything that this machine keeps. An absolute path. */
  readonly home: string;
  /** The address or name to listen on; loopback unless told. */
  readonly host?: string | undefined;
  /** 7423 unless told; 0 takes any free port. */
  readonly port?: number | undefined;
  /** A PostgreSQL of the user's own; without it the embedded one is started. */
  readonly databaseUrl?: string | undefined;
  /** A streaming replica of that, which histories and searches are read from (SCALE-4); none unless told. */
  readonly databaseReadUrl?: string | undefined;
  /**
   * How the brokers on one database hear of each other (NODE-1): `local`, which lets no other in, `postgres`, or the address of a
   * NATS server, `nats://host:4222`. `local` unless told.
   */
  readonly bus?: string | undefined;
  /** Where traces are sent to, by OTLP over HTTP (TRACE-1); none are made unless told. */
  readonly tracesUrl?: string | undefined;
  /** The address that agents are given, unless the settings name one. One that is not loopback means invite mode (AUTH-5). */
  readonly publicUrl?: string | undefined;
  /** The mode of authentication: everybody is let in, or members alone. Unless told, everybody exactly where nobody but this machine can come. */
  readonly auth?: AuthMode | undefined;
  /** Lets everybody in although others can reach the broker. */
  readonly insecureOpen?: boolean | undefined;
  /** In invite mode, makes an invite for an admin although there is one: for a key that was lost. */
  readonly newAdminInvite?: boolean | undefined;
  /**
   * Goes on with a new audit key, which nothing vouches for, where the home has not the one that the database's records were
   * signed with: for a key that was lost.
   */
  readonly newAuditKey?: boolean | undefined;
  /** A file with the audit key that several brokers share, which is only read; the home's own unless told. */
  readonly auditKeyFile?: string | undefined;
  /** Further host names that requests may be meant for. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Makes the port speak https and wss, and nothing else. */
  readonly tls?: TlsOptions | undefined;
  /** Addresses, and ranges such as `10.0.0.0/8`, of proxies that are believed about whom they speak for. None unless told. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** A folder of static pages to serve at `/`. */
  readonly dashboard?: string | undefined;
  /** The pages of that folder that are still being built; a page says so until then. */
  readonly pageBuild?: PageBuild | undefined;
  /** Packs the CLI as the `.tgz` that `/cli.tgz` serves; called once, when somebody first asks. Without it there is none. */
  readonly packCli?: (() => Promise<Uint8Array>) | undefined;
  readonly log?: Log | undefined;
  /** How often connections are pinged. */
  readonly heartbeatMs?: number | undefined;
  /**
   * The rates that differ from the usual ones (GUARD-4), or "off". Unless told there are none where the broker lets anyone
   * in and only this machine can reach it: whoever is there could stop it as well.
   */
  readonly rateLimits?: Partial<RateLimits> | "off" | undefined;
  /** How long it waits for what a client has begun; as `limits` say unless told. */
  readonly deadlines?: Partial<Deadlines> | undefined;
  /** How many WebSocket connections it holds at once; `limits.connectionsMax` unless told. */
  readonly connectionsMax?: number | undefined;
}

export interface TlsOptions extends CertificateFiles {
  /** Called with each certificate before it is served, the first one included. */
  readonly announce?: ((certificate: Certificate) => Promise<void>) | undefined;
  /** How often the files are looked at for a renewed one, in milliseconds; 5,000 unless told. */
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
