import type * as z from "zod";
import { type ErrorCode, MerkleError } from "../core/errors.js";
import type { Rendering } from "../feed/compact.js";
import { foreign } from "../text/neutralise.js";
import type { OperationRules } from "./operation-rules.js";

/** The description, schemas and errors of an operation. */
export interface OperationDescription<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  /** One sentence that helps an agent decide whether to use this tool. */
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** Error codes of the operation, in addition to those that any request may get. */
  readonly errors: readonly ErrorCode[];
  /**
   * True to leave the operation out of lists of tools, or the names of inputs to leave out, because only
   * pages and programs need them. They remain usable (MCP-10).
   */
  readonly unlisted?: true | readonly string[];
  /**
   * Additional omissions for tools over stdio, because the stdio server provides these parts itself, or a
   * model rarely needs them (STDIO-2).
   */
  readonly unlistedOverStdio?: true | readonly string[];
  /** The field for a message's text, which models also pass as `text` or `content` (MCP-22). */
  readonly textField?: string;
  /**
   * Output fields at any depth whose text is rendered unchanged, because models edit it by quoting or parse
   * it as JSON. `compact` must sanitise these texts itself, and must not put anything after them that could
   * look like part of them (TEXT-4).
   */
  readonly verbatim?: readonly string[];
  /** The output that clients of older builds expect, kept for one release (BUILD-6). */
  readonly older?: {
    readonly below: number;
    toOutput(output: z.output<Output>): object;
    /** Converts the output of an older broker for a newer client. */
    fromOutput(older: unknown): unknown;
  };
  /**
   * Renders the output as text for a model, for which every byte costs tokens. Texts were already passed
   * through `foreign`. Each line begins with one of Merkle's own words or signs (TEXT-1).
   */
  compact(output: z.output<Output>, rendering: Rendering): string;
}

/**
 * One operation of the broker. Everything that transports need is defined here: routes, tools, frames,
 * documentation and the typed client are generated from it.
 */
export interface Operation<
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends OperationRules,
    OperationDescription<Input, Output> {
  readonly name: Name;
}

/**
 * The rules for admitting a caller. They apply both to operations and to other kinds of requests (AUTH-12).
 */
export type AccessRule = Pick<Operation, "name" | "input"> &
  Omit<OperationRules, "toolset" | "route" | "kind" | "keptBy" | "withoutCredential" | "stores" | "share">;

/** True if the operation requires a session. */
export function isSessionOperation({ input }: Pick<AccessRule, "input">): boolean {
  const session = input.shape["session_id"];
  return session !== undefined && session._zod.optin === undefined;
}

/** True if a caller over MCP that has joined exactly one session may omit it (MCP-19). */
export function takesOnlySession({
  route,
  teamCredential,
}: Pick<Operation, "route" | "teamCredential">): boolean {
  return route.includes(":session_id") && teamCredential !== "given";
}

/** A session that a caller over MCP has joined. */
interface JoinedSession {
  readonly slug: string;
  readonly closed: boolean;
}

/**
 * Chooses the joined sessions for a call without `session_id`: the only one, or all of them if the operation
 * can read all (MCP-19). Concluded sessions count only if there is no other.
 *
 * @throws bad_request with the names of the sessions, if there are several to choose from
 */
export function chooseSessions<Session extends JoinedSession>(
  { everySession }: Pick<Operation, "everySession">,
  joined: readonly Session[],
): readonly Session[] {
  const open = joined.filter(({ closed }) => !closed);
  const sessions = open.length > 0 ? open : joined;
  if (sessions.length < 2 || everySession) return sessions;
  const slugs = sessions.map(({ slug }) => slug);
  throw new MerkleError(
    "bad_request",
    `You have joined several sessions: ${slugs.join(", ")}. Pass session_id to choose one.`,
    { sessions: slugs },
  );
}

/**
 * True if the output can also be sent as an event stream: a read-only wait that browsers can request
 * (WAIT-10).
 */
export function isStreamable({ kind, route }: Pick<Operation, "kind" | "route">): boolean {
  return kind === "wait" && route.startsWith("GET ");
}

/**
 * Returns a function that defines operations with these rules. It takes an operation's name, description,
 * schemas and errors, and preserves their exact types.
 */
export function describeOperations<const Rules extends Readonly<Record<string, OperationRules>>>(
  rules: Rules,
) {
  return function operation<
    const Name extends keyof Rules & string,
    Input extends z.ZodObject,
    Output extends z.ZodType,
  >(
    name: Name,
    description: OperationDescription<Input, Output>,
  ): Operation<Name, Input, Output> & Rules[Name] {
    const compact = (output: z.output<Output>, rendering: Rendering) =>
      description.compact(foreign(output, description.verbatim), rendering);
    // The type of `rules[name]` is not resolved for a generic name, but it is always an OperationRules.
    return { ...(rules[name] as Rules[Name] & OperationRules), ...description, name, compact };
  };
}

/** Errors that any operation may return. */
export const commonErrors = [
  "bad_request",
  "payload_too_large",
  "too_many_requests",
  "internal",
  "unavailable",
] as const;
