import type * as z from "zod";
import { type ErrorCode, MerkleError } from "../core/errors.js";
import type { Rendering } from "../feed/compact.js";
import { foreign } from "../text/neutralise.js";
import type { OperationRules } from "./operation-rules.js";

/** The words, schemas and errors of an operation. */
export interface OperationDescription<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> {
  /** The sentence by which an agent decides whether this is the tool it wants. */
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** The codes it may answer beside those that any request may get. */
  readonly errors: readonly ErrorCode[];
  /**
   * The parts that lists of tools leave out, because pages and programs ask for them and no agent needs to: the whole
   * operation, or some of its inputs. They may be called and given all the same (MCP-10).
   */
  readonly unlisted?: true | readonly string[];
  /**
   * The parts that the tools over stdio leave out besides: the server there does or gives them itself, or a model
   * hardly needs them (STDIO-2).
   */
  readonly unlistedOverStdio?: true | readonly string[];
  /** The field that takes the text of a message, which models also give as `text` or `content` (MCP-22). */
  readonly textField?: string;
  /**
   * Fields of the output, at any depth, that are rendered as they stand, because they are edited by quoting them or read as
   * JSON: `compact` itself makes them harmless, and lets nothing follow that could be theirs (TEXT-4).
   */
  readonly verbatim?: readonly string[];
  /** The output as clients of older builds expect it, for one release (BUILD-6). */
  readonly older?: {
    readonly below: number;
    toOutput(output: z.output<Output>): object;
    /** The way back, for a client of a broker of such a build. */
    fromOutput(older: unknown): unknown;
  };
  /**
   * The output as text for a model, which pays for every byte of it. Its texts are `foreign` already; a line of it begins with
   * a word or sign of ours (TEXT-1).
   */
  compact(output: z.output<Output>, rendering: Rendering): string;
}

/**
 * One thing that a caller can ask for. Everything a transport needs to know stands here and nowhere else: routes, tools,
 * frames, documentation and the typed client are made from it.
 */
export interface Operation<
  Name extends string = string,
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> extends OperationRules,
    OperationDescription<Input, Output> {
  readonly name: Name;
}

/** The rules that admit or refuse a caller: of an operation, and of what is asked beside the operations alike (AUTH-12). */
export type AccessRule = Pick<Operation, "name" | "input"> &
  Omit<OperationRules, "toolset" | "route" | "kind" | "keptBy" | "withoutCredential" | "stores" | "share">;

/** Whether it addresses one session: it cannot be asked without naming it. */
export function isSessionOperation({ input }: Pick<AccessRule, "input">): boolean {
  const session = input.shape["session_id"];
  return session !== undefined && session._zod.optin === undefined;
}

/** Whether a caller over MCP may leave its session out, which is then the only one joined (MCP-19). */
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
 * The joined sessions that a call without `session_id` is about: the only one, or where the operation reads them all, each
 * (MCP-19). Concluded ones count where no other is left.
 *
 * @throws bad_request when there are several to choose from, with their names
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

/** Whether its answer can also come as a stream of events: a wait that only looks, so that a browser may ask for it (WAIT-10). */
export function isStreamable({ kind, route }: Pick<Operation, "kind" | "route">): boolean {
  return kind === "wait" && route.startsWith("GET ");
}

/**
 * Returns the function that declares the operations of these rules: by its name, the words, schemas and errors of each, of
 * exactly these types.
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
    // The rules of a name not known yet are still the rules of one.
    return { ...(rules[name] as Rules[Name] & OperationRules), ...description, name, compact };
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
