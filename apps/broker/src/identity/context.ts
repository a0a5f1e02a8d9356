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

/** The services that authenticate callers. */
export interface IdentityServices extends CoreServices {
  readonly auth: "open" | "invite";
  /**
   * True if the broker admits every client because only this machine can reach it. This is the case in open
   * mode without `--insecure-open`.
   */
  readonly isLoopbackOnly: boolean;
  /**
   * The key with which a program proves that it can read the Merkle home. The program may then create links
   * that verify a person (PERSON-10).
   */
  readonly homeKey: string;
  /** A secret stored next to the database and shared by all brokers on the database. */
  readonly alertKey: AlertKey;
  /** The key that signs the broker's statements about itself and about session records. */
  readonly signer: AuditSigner;
  readonly limiter: Limiter;
  readonly quotas: Quotas;
  readonly shares: Shares;
  readonly revocations: Revocations;
  readonly credentials: CredentialCache;
  readonly sessions: SessionDirectory;
  /** Adds the initial data to a new mesh, in the transaction that creates the mesh. */
  readonly seedMesh: (tx: Transaction, meshId: string) => Promise<void>;
}

/** One request, as seen by a handler that needs the principal but no team. */
export interface IdentityContext<Services extends CoreServices> {
  readonly services: Services;
  readonly transport: "rest" | "mcp" | "websocket";
  /** Who reads the reply: a program (`json`) or a model (`compact`). Pages for models are shorter. */
  readonly view: "json" | "compact";
  /** Aborted when the caller cancels or disconnects. */
  readonly signal: AbortSignal;
  readonly idempotencyKey: string | undefined;
  /**
   * The connection over which this caller makes its calls, one after another. Undefined if a proxy may mix
   * calls from many callers.
   */
  readonly connection: object | undefined;
  /** Call in the transaction that creates a credential for the caller. */
  storeIssuedCredential(tx: Transaction, sessionId: string, credential: string): Promise<void>;
  /** Call when a wait starts blocking. */
  notifyBlocked(): void;
  /** Call once the write is in an ordered queue. The caller's next write may then begin. */
  markPlaced(): void;
  /**
   * The authenticated caller. Null for an unauthenticated client, which may only call public operations.
   */
  readonly principal: Principal | null;
  readonly person: PersonActor | null;
  /** Runs the request's only write, at most once per idempotency key (IDEM-1). */
  write<Result>(work: (write: Write) => Promise<Result>): Promise<Result>;
  /**
   * Returns the write's earlier result if the request is a retry with the same key, otherwise undefined.
   */
  readEarlierResult(): Promise<unknown>;
  /** Runs a callback once the complete reply has been written to the caller. */
  onWritten(run: () => void): void;
}

/** The context of a call that a person makes without addressing a session. */
export type IdentityPersonContext<Services extends CoreServices> = IdentityContext<Services> & {
  readonly person: PersonActor;
};
