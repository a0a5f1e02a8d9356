import type { ShareName } from "../core/limits.js";

/** The kinds of work that headless agents do. */
export const jobKinds = ["conclude", "incorporate", "perspective"] as const;
export type JobKind = (typeof jobKinds)[number];

/**
 * The callers that may use an operation (AUTH-4). `public`: anyone. `open`: anyone admitted to the mesh.
 * `team`: a team in the session. `reader`: anyone who may read the session. `member`: any member. `admin`:
 * only admins. `job`: only the agent of a job.
 */
export type Access = "public" | "open" | "team" | "reader" | "member" | "admin" | "job";

/** The sets from which an agent's tools are chosen, in display order. */
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

/**
 * The toolsets that an agent gets by default. They contain only what it needs to work with others (STDIO-2).
 */
export const defaultToolsets: readonly Toolset[] = ["core", "messaging", "mesh", "progress", "tasks"];

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type Route = `${HttpMethod} /api/${string}`;

/**
 * The rules of an operation: its route, who may call it, and its effects on the caller and the session. The
 * rules do not depend on schemas, so browsers and commands can load them cheaply (`operationRules`).
 */
export interface OperationRules {
  readonly toolset: Toolset;
  readonly access: Access;
  readonly route: Route;
  /** A second REST route for the same operation. */
  readonly routeAlias?: Route;
  /**
   * A `call` is answered immediately. A `wait` may stay open, and is cancelled when its caller disconnects.
   */
  readonly kind: "call" | "wait";
  /**
   * True if the operation changes nothing that others can see. All other operations accept an idempotency
   * key.
   */
  readonly readOnly: boolean;
  /** Whether the operation is allowed in a concluded session. */
  readonly afterClosing: "allowed" | "refused";
  readonly rate: "read" | "write" | "wait" | "create";
  /**
   * The kinds of jobs whose agents may call the operation. By default none of them may, regardless of the
   * other rules (JOB-12). A job's agent has read text that anyone may have written. The author of that text
   * could make the agent do anything that the agent is allowed to do.
   */
  readonly forJobs?: readonly JobKind[];
  /**
   * The reason why only humans may call the operation. `person`: it concerns a person's own data, including a
   * guest's. `power`: it exercises authority over agents, which requires a verified human. `verifying`: it
   * verifies a human. `vouching`: it creates a credential, invite, link or membership, for which the creating
   * member is responsible. Except for `person`, such operations are refused over MCP and to programs' tokens
   * (PERSON-11).
   */
  readonly human?: "person" | "power" | "verifying" | "vouching";
  /**
   * True if only an agent's programs may call the operation, never the model itself. It is then refused over
   * MCP (APPROVE-2).
   */
  readonly notForModels?: true;
  /**
   * True if the operation has no input field `team_id`, so that the credential of a team or person is not
   * sent.
   */
  readonly withoutCredential?: true;
  /**
   * True if a call over MCP that names no session applies to all sessions that the caller has joined
   * (MCP-19).
   */
  readonly everySession?: true;
  /**
   * True if the output depends on the caller, although no credential is required. If a transport has stored
   * the caller's credential, it then sends that credential.
   */
  readonly dependsOnCaller?: true;
  /**
   * True if an observer of one session may call the operation, although it does not address a session
   * (ENTER-7).
   */
  readonly forObservers?: true;
  /**
   * True if the operation also works without a credential in open mode. The caller then counts as an unnamed
   * agent of the mesh (AUTH-15), and its writes belong to the mesh instead of a session.
   */
  readonly unnamed?: true;
  /**
   * True if the operation records a reading position, which a person can do without joining the session. Any
   * other write with access `team` first gives a person a team in the session (PERSON-3), unless
   * `afterLeaving` is set.
   */
  readonly notesReading?: true;
  /**
   * True if everything that reads the written data queries the database, on every node. The reply then need
   * not wait until other nodes are notified (NODE-14).
   */
  readonly isReadFromDatabase?: true;
  /**
   * True if a caller that has left may use the operation. A caller can retry leaving with the same
   * idempotency key (IDEM-9), and a team that has left can come back.
   */
  readonly afterLeaving?: true;
  /**
   * Whether the operation returns a team's credential (`given`), or replaces the credential of the caller
   * (`replaced`). After a replacement, the call can be repeated with the old credential. A person's team has
   * no credential to replace, because the person's own credential authenticates it (IDEM-9).
   */
  readonly teamCredential?: "given" | "replaced";
  /**
   * True if the operation is allowed after closing but refused in an imported session, where it would create
   * a different record (IMPORT-5).
   */
  readonly onlyOriginals?: true;
  /**
   * True if the operation is allowed in an archived session: it concerns the archive itself or reads only
   * data that stays in the database (ARCHIVE-5). Refused by default, because a feed whose messages are
   * archived would look empty.
   */
  readonly whileArchived?: true;
  /** The limit on concurrent calls to the operation. Applies to each principal separately (GUARD-24). */
  readonly share?: ShareName;
  /**
   * Set if the operation stores text in the mesh. It is then refused once the mesh's quota of bytes is used
   * up (QUOTA-1). `input`: it stores about as much as its input. `counted`: its handler counts what is
   * stored. Not set for writes that delete, end or decide something, because they need no space.
   */
  readonly stores?: "input" | "counted";
  /** The session setting that can reserve the operation for the convener (SES-15). */
  readonly restrictedBy?: "conclude_by" | "metadata_by";
}

export const reading = { kind: "call", readOnly: true, afterClosing: "allowed", rate: "read" } as const;
/** Rules for reads that need only the data that stays in the database after a session is archived. */
export const readingWhileArchived = { ...reading, whileArchived: true } as const;
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

/** Adds the name of a toolset to the rules of some operations. */
export function assignToolset<
  const Name extends Toolset,
  const Rules extends Readonly<Record<string, Omit<OperationRules, "toolset">>>,
>(toolset: Name, rules: Rules) {
  const entries = Object.entries(rules).map(([name, each]) => [name, { ...each, toolset }]);
  return Object.fromEntries(entries) as {
    readonly [Each in keyof Rules]: Rules[Each] & { readonly toolset: Name };
  };
}
