import type { ConcludeHook, DocumentHook } from "./document/hooks.js";
import type { CreateSessionHook, SessionFactReaders } from "./sessions/hooks.js";
import type { Handlers } from "./transports/context-for.js";
import type { Mount } from "./transports/http/mount.js";
import type { Services as TransportServices } from "./transports/services.js";
import type { AttentionSource, PersonDataHook, Purge } from "./views/hooks.js";

/**
 * A part of the broker that can be left out: the operations that it handles, and what it adds to the core. `Services` are what
 * its handlers and hooks need.
 */
export interface Feature<Services extends TransportServices = TransportServices> {
  readonly name: string;
  /** The features that this one imports, each through its entry. */
  readonly needs: readonly string[];
  readonly handlers?: Partial<Handlers<Services>>;
  /** Adds routes beside those of the operations. */
  readonly mount?: Mount<Services>;
  readonly onCreateSession?: CreateSessionHook;
  readonly sessionFacts?: Partial<SessionFactReaders>;
  readonly onDocumentWritten?: DocumentHook<Services>;
  readonly onConclude?: ConcludeHook<Services>;
  readonly attention?: AttentionSource;
  readonly purge?: Readonly<Record<string, Purge>>;
  readonly personData?: PersonDataHook<Services>;
}
