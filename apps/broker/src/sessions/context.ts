import type { SessionAnnouncer } from "../core/services.js";
import type { Context as IdentityContext } from "../identity/context.js";
import type { PersonActor } from "../identity/credential.js";
import type { JobPrincipal } from "../identity/principal.js";
import type { SessionIdentity } from "../identity/session-directory.js";
import type { TeamActor } from "./access/credentials.js";
import type { AccessServices } from "./access/services.js";
import type { SessionHooks } from "./hooks.js";

/** The services of what happens in a session's roster. */
export interface SessionServices extends AccessServices {
  readonly hooks: SessionHooks;
  readonly channels: SessionAnnouncer;
}

/** One request, as a verb sees it. */
export interface Context<Services extends AccessServices> extends IdentityContext<Services> {
  /** The team that calls; a person's, where the person is or has been one. */
  readonly team: TeamActor | null;
  /** Whether the call's write first makes the caller a team: what is posted must then be part of that write (PERSON-3). */
  readonly joins: boolean;
}

export interface SessionContext<Services extends AccessServices> extends Context<Services> {
  readonly session: SessionIdentity;
}

export interface TeamContext<Services extends AccessServices> extends SessionContext<Services> {
  readonly team: TeamActor;
}

/** A reader of a session: a team of it, or a person, who need not be in it. */
export type ReaderContext<Services extends AccessServices> =
  | (TeamContext<Services> & { readonly person: null })
  | (SessionContext<Services> & { readonly person: PersonActor });

/** A caller of the mesh who addresses no session: a team of any of its sessions, or a person. */
export type MeshContext<Services extends AccessServices> =
  | (Context<Services> & { readonly team: TeamActor; readonly person: null })
  | PersonContext<Services>;

/** In open mode, an agent of whom nothing is known (AUTH-15). */
export type UnnamedContext<Services extends AccessServices> = Context<Services> & {
  readonly team: null;
  readonly person: null;
};

/** The agent of a running job, which is no team and no person. */
export type AgentContext<Services extends AccessServices> = Context<Services> & {
  readonly principal: JobPrincipal;
  readonly team: null;
  readonly person: null;
};

/** The author of a proposal: a caller of the mesh, or the agent of a job. */
export type ProposerContext<Services extends AccessServices> = MeshContext<Services> | AgentContext<Services>;

/** A person, where no session is addressed. */
export type PersonContext<Services extends AccessServices> = Context<Services> & {
  readonly team: null;
  readonly person: PersonActor;
};

/** A person who reads a session, in it or not. */
export type PersonReaderContext<Services extends AccessServices> = SessionContext<Services> & {
  readonly person: PersonActor;
};
