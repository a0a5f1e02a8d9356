import type { Transaction } from "@merkle/db";
import type { AlertKey } from "../core/alert-key.js";
import type { CoreServices } from "../core/services.js";
import type { Write } from "../core/write.js";
import type { AuditSigner } from "./audit-key/audit-key.js";
import type { CredentialCache, PersonActor } from "./credential.js";
import type { Limiter } from "./limits/limiter.js";
import type { Quotas } from "./limits/quotas.js";
import type { Shares } from "./limits/shares.js";
import type { Principal } from "./principal.js";
import type { Revocations } from "./revocations.js";
import type { SessionDirectory } from "./session-directory.js";

/** The services that decide who somebody is. */
export interface IdentityServices extends CoreServices {
  readonly auth: "open" | "invite";
  /** Whether everyone is admitted provided that only this machine can reach the broker: open mode without `--insecure-open`. */
  readonly loopbackOnly: boolean;
  /** The text by which a program shows that it can read the home, and may make links that verify a person (PERSON-10). */
  readonly homeKey: string;
  /** A secret that lies beside the database, and that all brokers of one database share. */
  readonly alertKey: AlertKey;
  /** Signs what the broker says of itself and of records. */
  readonly signer: AuditSigner;
  readonly limiter: Limiter;
  readonly quotas: Quotas;
  readonly shares: Shares;
  readonly revocations: Revocations;
  readonly credentials: CredentialCache;
  readonly sessions: SessionDirectory;
  /** Puts into a new mesh, in the transaction that makes it, what every mesh begins with. */
  readonly furnishMesh: (tx: Transaction, meshId: string) => Promise<void>;
}

/** One request, as a verb sees it that needs to know who was let in, and no team. */
export interface Context<Services extends CoreServices> {
  readonly services: Services;
  readonly transport: "rest" | "mcp" | "websocket";
  /** Whether a program or a model reads the answer; a model's pages are shorter. */
  readonly view: "json" | "compact";
  /** Aborted when the caller gives up or goes away. */
  readonly signal: AbortSignal;
  readonly idempotencyKey: string | undefined;
  /** The connection over which the caller's calls come one after the other; undefined where a proxy may mix those of many. */
  readonly connection: object | undefined;
  /** To be called in the transaction that makes a credential for the caller. */
  givenOut(tx: Transaction, sessionId: string, credential: string): Promise<void>;
  /** To be called by a wait that begins to block. */
  onBlocked(): void;
  /** To be called once the effect is in a queue that keeps the order: the caller's next write may begin. */
  placed(): void;
  /** The principal; null for somebody whom the broker does not know, where an operation is for anybody. */
  readonly principal: Principal | null;
  readonly person: PersonActor | null;
  /** Does the request's one write, once (IDEM-1). */
  write<Result>(work: (write: Write) => Promise<Result>): Promise<Result>;
  /** Returns what that write returned when the request came before with its key, or undefined. */
  readEarlierResult(): Promise<unknown>;
  /** Runs when the reply has been written to the caller in full. */
  onWritten(run: () => void): void;
}

/** A person, where no session is addressed. */
export type PersonContext<Services extends CoreServices> = Context<Services> & {
  readonly person: PersonActor;
};
