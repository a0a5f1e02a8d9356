import type { SessionAnnouncer } from "../core/services.js";
import type { IdentityContext } from "../identity/context.js";
import type { PersonActor } from "../identity/credential.js";
import type { JobPrincipal } from "../identity/principal.js";
import type { SessionIdentity } from "../identity/session-directory.js";
import type { TeamActor } from "./access/credentials.js";
import type { AccessServices } from "./access/services.js";
import type { SessionHooks } from "./hooks.js";

/** The services of operations on a session's roster. */
export interface SessionServices extends AccessServices {
  readonly hooks: SessionHooks;
  readonly channels: SessionAnnouncer;
}

/** One request, as passed to its handler. */
export interface Context<Services extends AccessServices> extends IdentityContext<Services> {
  /** The calling team. For a person, the team that the person has or had in the session. */
  readonly team: TeamActor | null;
  /**
   * Whether the write must first make the caller a team. If so, it must post its messages in the same
   * transaction (PERSON-3).
   */
  readonly mustJoin: boolean;
}

export interface SessionContext<Services extends AccessServices> extends Context<Services> {
  readonly session: SessionIdentity;
}

export interface TeamContext<Services extends AccessServices> extends SessionContext<Services> {
  readonly team: TeamActor;
}

/** A reader of a session: one of its teams, or a person, who may not have joined. */
export type ReaderContext<Services extends AccessServices> =
  | (TeamContext<Services> & { readonly person: null })
  | (SessionContext<Services> & { readonly person: PersonActor });

/** A caller that addresses no session: a team from any session in the mesh, or a person. */
export type MeshContext<Services extends AccessServices> =
  | (Context<Services> & { readonly team: TeamActor; readonly person: null })
  | PersonContext<Services>;

/** An agent in open mode without any identity (AUTH-15). */
export type UnnamedContext<Services extends AccessServices> = Context<Services> & {
  readonly team: null;
  readonly person: null;
};

/** A running job's agent, which is neither a team nor a person. */
export type AgentContext<Services extends AccessServices> = Context<Services> & {
  readonly principal: JobPrincipal;
  readonly team: null;
  readonly person: null;
};

/** The author of a proposal: a team or person in the mesh, or a job's agent. */
export type ProposerContext<Services extends AccessServices> = MeshContext<Services> | AgentContext<Services>;

/** The context of a call that a person makes without addressing a session. */
export type PersonContext<Services extends AccessServices> = Context<Services> & {
  readonly team: null;
  readonly person: PersonActor;
};

/** A person who reads a session and may not have joined it. */
export type PersonReaderContext<Services extends AccessServices> = SessionContext<Services> & {
  readonly person: PersonActor;
};
