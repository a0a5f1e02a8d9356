import type { ShareName } from "../core/limits.js";

/** The kinds of work that headless agents are run for. */
export const jobKinds = ["conclude", "incorporate", "perspective"] as const;
export type JobKind = (typeof jobKinds)[number];

/**
 * The callers that are let in: anybody at all, anyone whom the broker lets into the mesh, a team of the session, a reader of
 * it, a member, an admin (AUTH-4), or the agent of a job and nobody else.
 */
export type Access = "public" | "open" | "team" | "reader" | "member" | "admin" | "job";

/** The sets by which an agent's tools can be chosen, in the order in which lists show them. */
export const toolsets = [
  "core",
  "messaging",
  "mesh",
  "tasks",
  "progress",
  "people",
  "audit",
  "work",
  "admin",
] as const;
export type Toolset = (typeof toolsets)[number];

/** The toolsets of an agent that was given none by name: what it needs to work with others, and no more (STDIO-14). */
export const defaultToolsets: readonly Toolset[] = ["core", "messaging", "mesh", "progress", "tasks"];

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type Route = `${HttpMethod} /api/${string}`;

/**
 * The rules of an operation: where it is asked for, who may, and what it does to the caller and the session. Free of schemas,
 * so that browsers and commands can read them (`operationRules`).
 */
export interface OperationRules {
  readonly toolset: Toolset;
  readonly access: Access;
  readonly route: Route;
  /** A second route of REST, which the description of sessions names. */
  readonly routeAlias?: Route;
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
   * The reason that humans alone may call it. `person`: it is about a person's own things, guests' included. `power`: it
   * decides about agents, which takes a verified human. `verifying`: it makes somebody a verified human. `vouching`: it makes
   * a credential, an invite, a link or a membership, for which the member who makes it answers. All but the first are refused
   * over MCP and to programs' tokens (PERSON-11).
   */
  readonly human?: "person" | "power" | "verifying" | "vouching";
  /** Whether a program of an agent's calls it and never its model, so that it is refused over MCP (APPROVE-2). */
  readonly notForModels?: true;
  /** Whether it has no input `team_id`, so that no credential of a team or person goes along. */
  readonly withoutCredential?: true;
  /** Whether a call over MCP that names no session is about every session that the caller has joined (MCP-19). */
  readonly everySession?: true;
  /**
   * Whether its answer depends on who calls although nobody has to prove it: transports that remember a caller's credential
   * send it along, as they do where one is needed.
   */
  readonly asksWhoCalls?: true;
  /** Whether somebody who only looks on in one session may call it although it addresses none (ENTER-7). */
  readonly forOnlookers?: true;
  /**
   * Whether, where everybody is let in, it is also done for who comes without a credential, as an unnamed agent of the mesh
   * (AUTH-15): what is written belongs to the mesh and not to a session.
   */
  readonly unnamed?: true;
  /**
   * Whether it notes what somebody has read: a person does it without joining. Every other write of access `team` makes a
   * person a team of the session first (PERSON-3), unless it is one for who has left.
   */
  readonly notesReading?: true;
  /**
   * Whether whoever reads what it writes has the database asked for it at any node: its answer waits for no other node to hear of
   * it (NODE-14).
   */
  readonly readAnew?: true;
  /** Whether who has left may call it: leaving can be repeated with its key (IDEM-9), and who left may come back. */
  readonly afterLeaving?: true;
  /**
   * Whether it gives out a team's credential, or replaces the one that it is called with. What replaces it is repeated under
   * the old credential, and is not for a person's team, which the person's own credential proves (IDEM-9).
   */
  readonly teamCredential?: "given" | "replaced";
  /** Whether a session that was imported refuses it, although it is allowed after closing: it would make another record (IMPORT-5). */
  readonly onlyOriginals?: true;
  /**
   * Whether a session that is archived still takes it: it reads nothing but what stayed in the database, or it is about the archive
   * itself (ARCHIVE-5). Unless told it is refused, since a feed whose messages are elsewhere would look empty.
   */
  readonly whileArchived?: true;
  /** The places that its calls take, of which each principal has its own (GUARD-24). */
  readonly share?: ShareName;
  /**
   * Whether it stores text in the mesh, so it is refused when the mesh's quota of bytes is used up (QUOTA-1). `input`: about as
   * much as its input. `counted`: its verb counts what it stores itself. Writes that delete, end or decide something have no such
   * rule and need no room.
   */
  readonly stores?: "input" | "counted";
  /** The setting by which a session can keep it for its convener (SES-15). */
  readonly keptBy?: "conclude_by" | "metadata_by";
}

export const reading = { kind: "call", readOnly: true, afterClosing: "allowed", rate: "read" } as const;
/** Of what stays in the database when a session is archived. */
export const readingWhatStays = { ...reading, whileArchived: true } as const;
export const writing = { kind: "call", readOnly: false, afterClosing: "allowed", rate: "write" } as const;
export const writingWhileOpen = { ...writing, afterClosing: "refused" } as const;
export const archiving = {
  ...writing,
  access: "reader",
  human: "power",
  onlyOriginals: true,
  whileArchived: true,
} as const;
export const creating = { ...writing, rate: "create" } as const;
export const vouching = { ...creating, human: "vouching", withoutCredential: true } as const;

/** These operations, in one of the sets that an agent's tools can be chosen by. */
export function inToolset<
  const Name extends Toolset,
  const Rules extends Readonly<Record<string, Omit<OperationRules, "toolset">>>,
>(toolset: Name, rules: Rules) {
  const entries = Object.entries(rules).map(([name, each]) => [name, { ...each, toolset }]);
  return Object.fromEntries(entries) as {
    readonly [Each in keyof Rules]: Rules[Each] & { readonly toolset: Name };
  };
}
