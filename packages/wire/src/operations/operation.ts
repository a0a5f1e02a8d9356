import type * as z from "zod";
import { type ErrorCode, MerkleError } from "../core/errors.js";
import type { Rendering } from "../feed/compact.js";
import { neutraliseTexts } from "../text/neutralise.js";
import type { OperationRules } from "./operation-rules.js";

/** The description, schemas and errors of an operation. */
export interface OperationDescription<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  /** One sentence that helps an agent decide whether to use the operation's tool. */
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** Error codes that the operation may return, in addition to those that any request may get. */
  readonly errors: readonly ErrorCode[];
  /**
   * True to leave the operation out of lists of tools, or the names of input fields to leave out. Only pages
   * and programs need an operation or field that is left out, and it still works (MCP-10).
   */
  readonly unlisted?: true | readonly string[];
  /**
   * Left out of tools over stdio in addition to `unlisted`, because the stdio server provides these inputs
   * itself or models rarely need them (STDIO-2).
   */
  readonly unlistedOverStdio?: true | readonly string[];
  /**
   * True if agents need the tool during the first hour of a session. Clients that load tools on demand load it
   * upfront (STDIO-14).
   */
  readonly loadedUpfront?: true;
  /** Name of the field for a message's text. Models also pass the text as `text` or `content` (MCP-22). */
  readonly textField?: string;
  /**
   * Name of the field whose `attachments` are uploaded files. Over stdio, models pass paths in `files` instead, and the
   * stdio server uploads the files (ATTACH-24).
   */
  readonly filesField?: string;
  /**
   * Output fields, at any depth, whose text is rendered unchanged, because models quote it in edits or parse
   * it as JSON. `compact` must sanitise this text itself. It must also not put anything after the text that
   * could look like part of it (TEXT-4).
   */
  readonly verbatim?: readonly string[];
  /**
   * The form of the output that clients of older builds expect. It is supported for one release (BUILD-6).
   */
  readonly older?: {
    readonly below: number;
    toOutput(output: z.output<Output>): object;
    /** Converts an older broker's output to the current form, for a newer client. */
    fromOutput(older: unknown): unknown;
  };
  /**
   * Renders the output as text for a model, for which every byte costs tokens. The text in the output has
   * already been passed through `foreign`. Each line must begin with one of Merkle's own words or symbols
   * (TEXT-1).
   */
  compact(output: z.output<Output>, rendering: Rendering): string;
}

/**
 * An operation of the broker. Everything that transports need is defined here. Routes, tools, frames,
 * documentation and the typed client are generated from these definitions.
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
 * The rules by which a caller is admitted. They apply to operations and to other kinds of requests (AUTH-12).
 */
export type AccessRule = Pick<Operation, "name" | "input"> &
  Omit<
    OperationRules,
    "toolset" | "route" | "kind" | "restrictedBy" | "withoutCredential" | "stores" | "share"
  >;

/** Returns true if the operation requires a session. */
export function isSessionOperation({ input }: Pick<AccessRule, "input">): boolean {
  const session = input.shape["session_id"];
  return session !== undefined && session._zod.optin === undefined;
}

/** Returns true if a caller over MCP that has joined exactly one session need not name it (MCP-19). */
export function canOmitSession({
  route,
  teamCredential,
}: Pick<Operation, "route" | "teamCredential">): boolean {
  return route.includes(":session_id") && teamCredential !== "given";
}

/** A session that the caller has joined over MCP. */
interface JoinedSession {
  readonly slug: string;
  readonly isClosed: boolean;
}

/**
 * Chooses which joined sessions a call without `session_id` applies to: the only one, or all of them if the
 * operation supports that (MCP-19). Concluded sessions are chosen only if no joined session is open.
 *
 * @throws bad_request with the sessions' slugs if the caller has to choose one
 */
export function chooseSessions<Session extends JoinedSession>(
  { everySession }: Pick<Operation, "everySession">,
  joined: readonly Session[],
): readonly Session[] {
  const open = joined.filter(({ isClosed }) => !isClosed);
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
 * Returns true if the output can also be sent as an event stream. This requires a read-only wait that
 * browsers can request (WAIT-10).
 */
export function isStreamable({ kind, route }: Pick<Operation, "kind" | "route">): boolean {
  return kind === "wait" && route.startsWith("GET ");
}

/**
 * Returns a function that defines the operations that have these rules. The function takes an operation's
 * name, description, schemas and errors, and preserves their exact types.
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
      description.compact(neutraliseTexts(output, description.verbatim), rendering);
    // TypeScript does not resolve the type of `rules[name]` for a generic name, but the value is always an
    // OperationRules.
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
