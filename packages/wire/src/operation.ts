import type * as z from "zod";
import { foreign } from "./compact.js";
import type { ErrorCode } from "./errors.js";
import type { JobKind } from "./values.js";

/**
 * Who may call: anybody at all, anyone whom the broker lets into the mesh, a team of the session, a reader of it, a member,
 * an admin (AUTH-4), the agent of a job and nobody else.
 */
export type Access = "public" | "open" | "team" | "reader" | "member" | "admin" | "job";

export type Toolset = "core" | "messaging" | "mesh" | "people" | "progress" | "audit" | "work" | "admin";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type Route = `${HttpMethod} /api/${string}`;

/**
 * One thing that a caller can ask for. Everything a door needs to know stands here and nowhere else: routes, tools,
 * frames, documentation and the typed client are made from it.
 */
export interface Operation<
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  readonly toolset: Toolset;
  /** What an agent reads to decide whether this is the tool it wants. */
  readonly summary: string;
  readonly access: Access;
  readonly route: Route;
  readonly input: Input;
  readonly output: Output;
  /** The codes it may answer beside those that any request may get. */
  readonly errors: readonly ErrorCode[];
  /** A `call` is answered at once; a `wait` may be held open and is cancelled with its caller. */
  readonly kind: "call" | "wait";
  /** Whether it changes nothing that others can see. What changes something takes an idempotency key. */
  readonly readOnly: boolean;
  /** Whether a concluded session still takes it. */
  readonly afterClosing: "allowed" | "refused";
  readonly rate: "read" | "write" | "wait" | "create";
  /**
   * For which jobs an agent may call it, whoever else may; without it none (JOB-12). An agent has read what anybody may have
   * written, so that what it could do beyond its job, somebody else could make it do.
   */
  readonly forJobs?: readonly JobKind[];
  /**
   * What of it is for humans: `person`, what is a person's own, guests' included; `power`, what decides about agents, which
   * takes a verified human; `verifying`, what makes somebody one. The last two are refused over MCP (PERSON-11).
   */
  readonly human?: "person" | "power" | "verifying";
  /**
   * Whether its answer depends on who calls although nobody has to prove it: doors that remember a caller's credential send it
   * along, as they do where one is needed.
   */
  readonly asksWhoCalls?: true;
  /** Whether somebody who only looks on in one session may call it although it addresses none (ENTER-7). */
  readonly forOnlookers?: true;
  /**
   * What lists of tools leave out, because pages and programs ask for it and no agent needs to: the whole operation, or some
   * of its inputs. It may be called and given all the same (MCP-10).
   */
  readonly unlisted?: true | readonly string[];
  /**
   * Fields of the output, at any depth, that are rendered as they stand, because they are edited by quoting them or read as
   * JSON: `compact` itself makes them harmless, and lets nothing follow that could be theirs (TEXT-4).
   */
  readonly verbatim?: readonly string[];
  /**
   * The output as text for a model, which pays for every byte of it. Its texts are `foreign` already; a line of it begins with
   * a word or sign of ours (TEXT-1).
   */
  compact(output: z.output<Output>, rendering: Rendering): string;
}

/** What admits or refuses a caller: of an operation, and of what is asked beside the operations alike (AUTH-12). */
export type AccessRule = Pick<
  Operation,
  | "name"
  | "access"
  | "input"
  | "readOnly"
  | "afterClosing"
  | "rate"
  | "forJobs"
  | "human"
  | "forOnlookers"
  | "asksWhoCalls"
>;

/** Whether it addresses one session: it cannot be asked without naming it. */
export function isSessionOperation({ input }: Pick<AccessRule, "input">): boolean {
  const session = input.shape["session_id"];
  return session !== undefined && session._zod.optin === undefined;
}

/** For whom compact text is made. */
export interface Rendering {
  /**
   * Who keeps the cursors and the credentials: the model itself, or the server that speaks for it. What a server keeps is
   * not in the text: the model would pay for it, and a credential that it never saw it cannot give away.
   */
  readonly keeper: "caller" | "server";
}

/** Whether its answer can also come as a stream of events: a wait that only looks, so that a browser may ask for it (WAIT-10). */
export function isStreamable({ kind, route }: Pick<Operation, "kind" | "route">): boolean {
  return kind === "wait" && route.startsWith("GET ");
}

/** Declares an operation, keeping its exact types. */
export function operation<
  const Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const OperationAccess extends Access,
  const OperationRoute extends Route,
>(
  definition: Operation<Name, Input, Output> & {
    readonly access: OperationAccess;
    readonly route: OperationRoute;
  },
): Operation<Name, Input, Output> & { readonly access: OperationAccess; readonly route: OperationRoute } {
  return {
    ...definition,
    compact: (output, rendering) => definition.compact(foreign(output, definition.verbatim), rendering),
  };
}

/** The errors that any operation may answer, whatever it does. */
export const commonErrors = [
  "bad_request",
  "payload_too_large",
  "too_many_requests",
  "internal",
  "unavailable",
] as const;
