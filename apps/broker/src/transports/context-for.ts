import type { OperationName, OutputOf, operationRules, ParsedInputOf } from "@merkle/wire";
import type { AccessServices } from "../sessions/access/services.js";
import type {
  AgentContext,
  Context,
  MeshContext,
  PersonContext,
  PersonReaderContext,
  ReaderContext,
  SessionContext,
  TeamContext,
  UnnamedContext,
} from "../sessions/context.js";

/** The type of the context that an operation's handler gets, derived from the operation's rules. */
export type ContextFor<Name extends OperationName, Services extends AccessServices> = ContextOf<
  (typeof operationRules)[Name],
  Services
>;

type ContextOf<Rules, Services extends AccessServices> = Rules extends {
  readonly route: `${string}/:session_id${string}`;
}
  ? Rules extends { readonly access: "team" }
    ? TeamContextOf<Rules, Services> | (ForJobs<Rules, Services> & SessionContext<Services>)
    : SessionContext<Services>
  : Rules extends { readonly access: "team" }
    ?
        | (Rules extends { readonly human: string } ? PersonContext<Services> : MeshContext<Services>)
        | ForJobs<Rules, Services>
        | (Rules extends { readonly unnamed: true } ? UnnamedContext<Services> : never)
    : Rules extends { readonly access: "job" }
      ? AgentContext<Services>
      : Context<Services>;

/** A person may save a read position in a session without joining the session. */
type TeamContextOf<Rules, Services extends AccessServices> = Rules extends { readonly notesReading: true }
  ? Rules extends { readonly human: string }
    ? PersonReaderContext<Services>
    : ReaderContext<Services>
  : TeamContext<Services>;

type ForJobs<Rules, Services extends AccessServices> = Rules extends {
  readonly forJobs: readonly unknown[];
}
  ? AgentContext<Services>
  : never;

/** Contains exactly one handler for each operation. Handlers need no services other than `Services`. */
export type Handlers<Services extends AccessServices> = {
  readonly [Name in OperationName]: (
    ctx: ContextFor<Name, Services>,
    input: ParsedInputOf<Name>,
  ) => Promise<OutputOf<Name>>;
};
