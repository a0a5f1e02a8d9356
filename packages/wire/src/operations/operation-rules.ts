import type { ShareName } from "../core/limits.js";

/** The kinds of work that headless agents do. */
export const jobKinds = ["conclude", "incorporate", "perspective"] as const;
export type JobKind = (typeof jobKinds)[number];

/**
 * The callers that may use an operation (AUTH-4). `public`: anyone. `open`: anyone admitted to the mesh.
 * `team`: a team of the session. `reader`: a reader of the session. `member`: a member. `admin`: an admin.
 * `job`: only the agent of a job.
 */
export type Access = "public" | "open" | "team" | "reader" | "member" | "admin" | "job";

/** The sets from which an agent's tools are chosen, in the order in which lists show them. */
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

/** The default toolsets of an agent: only what it needs to work with others (STDIO-14). */
export const defaultToolsets: readonly Toolset[] = ["core", "messaging", "mesh", "progress", "tasks"];

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type Route = `${HttpMethod} /api/${string}`;

/**
 * The rules of an operation: its route, who may call it, and its effects on the caller and the session. They
 * need no schemas, so that browsers and commands can load them (`operationRules`).
 */
export interface OperationRules {
  readonly toolset: Toolset;
  readonly access: Access;
  readonly route: Route;
  /** A second REST route, named in the specification of sessions. */
  readonly routeAlias?: Route;
  /**
   * A `call` is answered immediately. A `wait` may be held open, and is cancelled when its caller
   * disconnects.
   */
  readonly kind: "call" | "wait";
  /**
   * True if the operation changes nothing that others can see. All other operations accept an idempotency
   * key.
   */
  readonly readOnly: boolean;
  /** Whether a concluded session allows the operation. */
  readonly afterClosing: "allowed" | "refused";
  readonly rate: "read" | "write" | "wait" | "create";
  /**
   * The kinds of jobs whose agents may call the operation. Default: none, regardless of the other rules
   * (JOB-12). An agent has read text that anyone may have written. Anything it could do beyond its job, the
   * author of such a text could make it do.
   */
  readonly forJobs?: readonly JobKind[];
  /**
   * The reason why only humans may call the operation. `person`: it concerns a person's own data, including a
   * guest's. `power`: it decides about agents, which requires a verified human. `verifying`: it verifies a
   * human. `vouching`: it creates a credential, invite, link or membership, for which the creating member is
   * responsible. All except `person` are refused over MCP and to programs' tokens (PERSON-11).
   */
  readonly human?: "person" | "power" | "verifying" | "vouching";
  /**
   * True if only an agent's programs call the operation, never its model. The operation is refused over MCP
   * (APPROVE-2).
   */
  readonly notForModels?: true;
  /** True if the operation has no input `team_id`, so that the credential of a team or person is not sent. */
  readonly withoutCredential?: true;
  /**
   * True if a call over MCP without a session applies to all sessions that the caller has joined (MCP-19).
   */
  readonly everySession?: true;
  /**
   * True if the output depends on the caller, although no credential is required. Transports that store a
   * caller's credential then send it.
   */
  readonly asksWhoCalls?: true;
  /**
   * True if an observer of one session may call the operation, although it addresses no session (ENTER-7).
   */
  readonly forOnlookers?: true;
  /**
   * True if, in open mode, the operation also works without a credential, as an unnamed agent of the mesh
   * (AUTH-15). Its writes belong to the mesh and not to a session.
   */
  readonly unnamed?: true;
  /**
   * True if the operation records a reading position, which a person can do without joining. Any other write
   * with access `team` first makes a person a team of the session (PERSON-3), unless `afterLeaving` is set.
   */
  readonly notesReading?: true;
  /**
   * True if readers of the written data always query the database, on every node. The reply then need not
   * wait for other nodes to be notified (NODE-14).
   */
  readonly readAnew?: true;
  /**
   * True if a caller that has left may use the operation. Leaving can be repeated with its key (IDEM-9), and
   * a team that left can come back.
   */
  readonly afterLeaving?: true;
  /**
   * Whether the operation returns a team's credential, or replaces the credential of the call. A replacement
   * is repeated with the old credential. Replacing does not apply to a person's team, which the person's own
   * credential proves (IDEM-9).
   */
  readonly teamCredential?: "given" | "replaced";
  /**
   * True if an imported session refuses the operation, although it is allowed after closing, because it would
   * create a different record (IMPORT-5).
   */
  readonly onlyOriginals?: true;
  /**
   * True if an archived session allows the operation, which reads only data that stayed in the database, or
   * concerns the archive itself (ARCHIVE-5). Default: refused, because a feed with archived messages would
   * look empty.
   */
  readonly whileArchived?: true;
  /**
   * The limit on concurrent calls of the operation, which applies to each principal separately (GUARD-24).
   */
  readonly share?: ShareName;
  /**
   * Set if the operation stores text in the mesh. The operation is then refused when the mesh's quota of
   * bytes is used up (QUOTA-1). `input`: it stores about as much as its input. `counted`: its handler counts
   * what it stores. Writes that delete, end or decide something need no space and do not set this rule.
   */
  readonly stores?: "input" | "counted";
  /** The session setting that can restrict the operation to the convener (SES-15). */
  readonly keptBy?: "conclude_by" | "metadata_by";
}

export const reading = { kind: "call", readOnly: true, afterClosing: "allowed", rate: "read" } as const;
/** Rules of reads that need only data that stays in the database when a session is archived. */
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

/** Adds a toolset to the rules of operations. */
export function inToolset<
  const Name extends Toolset,
  const Rules extends Readonly<Record<string, Omit<OperationRules, "toolset">>>,
>(toolset: Name, rules: Rules) {
  const entries = Object.entries(rules).map(([name, each]) => [name, { ...each, toolset }]);
  return Object.fromEntries(entries) as {
    readonly [Each in keyof Rules]: Rules[Each] & { readonly toolset: Name };
  };
}
