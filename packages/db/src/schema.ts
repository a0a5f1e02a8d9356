import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  customType,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

/** The tables as queries see them. `migrations/` makes them and gives the reasons; a test compares the two. */

const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });
const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
const count = (name: string) => bigint(name, { mode: "number" });

export const meshes = pgTable("meshes", {
  meshId: uuid("mesh_id").primaryKey(),
  name: text("name").notNull().unique(),
  createdAt: instant("created_at").notNull().defaultNow(),
  lastInvite: integer("last_invite").notNull().default(0),
  lastToken: integer("last_token").notNull().default(0),
  lastJob: integer("last_job").notNull().default(0),
  lastTopic: integer("last_topic").notNull().default(0),
  lastProposal: integer("last_proposal").notNull().default(0),
  lastPerspective: integer("last_perspective").notNull().default(0),
});

export const members = pgTable(
  "members",
  {
    meshId: uuid("mesh_id").notNull(),
    memberId: uuid("member_id").notNull(),
    name: text("name").notNull(),
    role: text("role", { enum: ["admin", "member"] }).notNull(),
    publicKey: bytea("public_key").notNull(),
    invite: integer("invite"),
    joinedAt: instant("joined_at").notNull(),
    revokedAt: instant("revoked_at"),
    revokedBy: text("revoked_by"),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.memberId] }),
    unique().on(table.meshId, table.publicKey),
    index("members_by_key").on(table.publicKey),
  ],
);

export const invites = pgTable(
  "invites",
  {
    meshId: uuid("mesh_id").notNull(),
    number: integer("number").notNull(),
    secretHash: bytea("secret_hash").notNull().unique(),
    role: text("role", { enum: ["admin", "member"] }).notNull(),
    sessionId: uuid("session_id"),
    invitedBy: uuid("invited_by"),
    inviter: text("inviter").notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    usesMax: integer("uses_max").notNull(),
    uses: integer("uses").notNull().default(0),
    revokedAt: instant("revoked_at"),
    codeHash: bytea("code_hash"),
    codeExpiresAt: instant("code_expires_at"),
    codeTriesLeft: integer("code_tries_left").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.number] }),
    foreignKey({
      columns: [table.meshId, table.invitedBy],
      foreignColumns: [members.meshId, members.memberId],
    }),
  ],
);

export const tokens = pgTable(
  "tokens",
  {
    meshId: uuid("mesh_id").notNull(),
    number: integer("number").notNull(),
    kind: text("kind", { enum: ["bearer", "browser", "sign_in", "ticket", "observer"] }).notNull(),
    secretHash: bytea("secret_hash").notNull().unique(),
    memberId: uuid("member_id"),
    sessionId: uuid("session_id"),
    parent: integer("parent"),
    label: text("label"),
    createdBy: uuid("created_by"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
    lastUsedAt: instant("last_used_at"),
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.number] }),
    foreignKey({
      columns: [table.meshId, table.memberId],
      foreignColumns: [members.meshId, members.memberId],
    }),
    foreignKey({
      columns: [table.meshId, table.createdBy],
      foreignColumns: [members.meshId, members.memberId],
    }),
    index("tokens_by_member").on(table.meshId, table.memberId),
  ],
);

export const furtherSecrets = pgTable(
  "further_secrets",
  {
    scopeId: uuid("scope_id").notNull(),
    id: uuid("id").notNull(),
    secretHash: bytea("secret_hash").notNull(),
    createdAt: instant("created_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.scopeId, table.id, table.secretHash] })],
);

export const settings = pgTable("settings", {
  key: text("key").primaryKey(),
  value: jsonb("value").$type<unknown>().notNull(),
  updatedAt: instant("updated_at").notNull().defaultNow(),
});

export const sessions = pgTable("sessions", {
  sessionId: uuid("session_id").primaryKey(),
  meshId: uuid("mesh_id")
    .notNull()
    .references(() => meshes.meshId),
  slug: text("slug").notNull(),
  title: text("title").notNull(),
  description: text("description").notNull(),
  createdByTeamId: uuid("created_by_team_id").notNull(),
  settings: jsonb("settings").$type<unknown>().notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
  metadataChangedAt: instant("metadata_changed_at"),
  metadataChangedBy: text("metadata_changed_by"),
  metadataChangeReason: text("metadata_change_reason"),
  heldBy: text("held_by"),
  holdReason: text("hold_reason"),
  originId: uuid("origin_id"),
  originKey: text("origin_key"),
  importedAt: instant("imported_at"),
  words: tsvector("words").notNull().generatedAlwaysAs(sql``),
});

export const sessionSlugs = pgTable(
  "session_slugs",
  {
    meshId: uuid("mesh_id").notNull(),
    slug: text("slug").notNull(),
    sessionId: uuid("session_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.meshId, table.slug] })],
);

export const feeds = pgTable("feeds", {
  sessionId: uuid("session_id").primaryKey(),
  lastSequence: count("last_sequence").notNull().default(0),
  lastPostedAt: instant("last_posted_at"),
  lastChatSequence: count("last_chat_sequence").notNull().default(0),
  closedAt: instant("closed_at"),
  heldAt: instant("held_at"),
  messageBudget: integer("message_budget").notNull().default(0),
  agentMessages: count("agent_messages").notNull().default(0),
  agentMessagesAtHuman: count("agent_messages_at_human").notNull().default(0),
});

export const teams = pgTable(
  "teams",
  {
    sessionId: uuid("session_id").notNull(),
    teamId: uuid("team_id").notNull(),
    name: text("name").notNull(),
    kind: text("kind", { enum: ["agent", "human", "guest"] })
      .notNull()
      .default("agent"),
    secretHash: bytea("secret_hash"),
    personId: uuid("person_id"),
    memberId: uuid("member_id"),
    joinedAt: instant("joined_at").notNull(),
    leftAt: instant("left_at"),
    colour: integer("colour").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.teamId] }),
    uniqueIndex("teams_by_name").on(table.sessionId, sql`lower(${table.name})`),
    uniqueIndex("teams_by_person")
      .on(table.sessionId, table.personId)
      .where(sql`${table.personId} IS NOT NULL`),
    index("teams_by_id").on(table.teamId),
    index("teams_by_member").on(table.memberId).where(sql`${table.memberId} IS NOT NULL`),
    uniqueIndex("teams_by_colour").on(table.sessionId, table.colour),
  ],
);

export const verificationCodes = pgTable("verification_codes", {
  secretHash: bytea("secret_hash").primaryKey(),
  expiresAt: instant("expires_at").notNull(),
});

export const persons = pgTable(
  "persons",
  {
    meshId: uuid("mesh_id").notNull(),
    personId: uuid("person_id").notNull(),
    name: text("name").notNull(),
    secretHash: bytea("secret_hash").notNull(),
    memberId: uuid("member_id"),
    createdAt: instant("created_at").notNull(),
    verifiedAt: instant("verified_at"),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.personId] }),
    uniqueIndex("persons_by_member")
      .on(table.meshId, table.memberId)
      .where(sql`${table.memberId} IS NOT NULL`),
    foreignKey({
      columns: [table.meshId, table.memberId],
      foreignColumns: [members.meshId, members.memberId],
    }),
  ],
);

export const personReads = pgTable(
  "person_reads",
  {
    meshId: uuid("mesh_id").notNull(),
    personId: uuid("person_id").notNull(),
    sessionId: uuid("session_id").notNull(),
    lastRead: count("last_read").notNull(),
  },
  (table) => [primaryKey({ columns: [table.meshId, table.personId, table.sessionId] })],
);

export const dismissals = pgTable(
  "dismissals",
  {
    meshId: uuid("mesh_id").notNull(),
    personId: uuid("person_id").notNull(),
    item: text("item").notNull(),
    until: instant("until"),
    at: instant("at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.personId, table.item] }),
    foreignKey({
      columns: [table.meshId, table.personId],
      foreignColumns: [persons.meshId, persons.personId],
    }),
  ],
);

export const peers = pgTable(
  "peers",
  {
    sessionId: uuid("session_id").notNull(),
    peerId: uuid("peer_id").notNull(),
    teamId: uuid("team_id").notNull(),
    name: text("name"),
    acked: count("acked").notNull().default(0),
    offered: count("offered").notNull().default(0),
    returned: count("returned").notNull().default(0),
    resync: boolean("resync").notNull().default(false),
    documentVersion: integer("document_version").notNull().default(0),
    idlePolls: integer("idle_polls").notNull().default(0),
    lastSeenAt: instant("last_seen_at"),
    secretHash: bytea("secret_hash"),
    role: text("role"),
    groups: jsonb("groups").$type<readonly { name: string; role: string | null }[]>().notNull().default([]),
    declaredStatus: text("declared_status", { enum: ["idle", "working", "dnd", "blocked"] }),
    declaredReason: text("declared_reason"),
    declaredAt: instant("declared_at"),
    summary: text("summary"),
    summaryAt: instant("summary_at"),
    capabilities: jsonb("capabilities").$type<unknown>(),
    cwd: text("cwd"),
    machine: text("machine"),
    sessionKey: text("session_key"),
    keyCard: jsonb("key_card").$type<unknown>(),
    joinedAt: instant("joined_at").notNull().defaultNow(),
    lastPolledAt: instant("last_polled_at"),
    leftAt: instant("left_at"),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.peerId] }),
    uniqueIndex("peers_unnamed").on(table.sessionId, table.teamId).where(sql`${table.name} IS NULL`),
    uniqueIndex("peers_by_name")
      .on(table.sessionId, sql`lower(${table.name})`)
      .where(sql`${table.name} IS NOT NULL AND ${table.leftAt} IS NULL`),
    index("peers_by_id").on(table.peerId),
    index("peers_blocked").on(table.sessionId).where(sql`${table.declaredStatus} = 'blocked'`),
    foreignKey({ columns: [table.sessionId, table.teamId], foreignColumns: [teams.sessionId, teams.teamId] }),
  ],
);

export const receipts = pgTable(
  "receipts",
  {
    sessionId: uuid("session_id").notNull(),
    peerId: uuid("peer_id").notNull(),
    cursor: count("cursor").notNull(),
    at: instant("at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.peerId, table.cursor] }),
    index("receipts_by_age").using("brin", table.at),
  ],
);

export const messages = pgTable(
  "messages",
  {
    sessionId: uuid("session_id").notNull(),
    sequence: count("sequence").notNull(),
    id: uuid("id").notNull(),
    type: text("type", { enum: ["chat", "system"] }).notNull(),
    postedByTeamId: uuid("posted_by_team_id"),
    postedByPeerId: uuid("posted_by_peer_id"),
    authorTeam: text("author_team"),
    authorPeer: text("author_peer"),
    authorHuman: boolean("author_human").notNull().default(false),
    recipients: text("recipients").array().notNull(),
    priority: text("priority", { enum: ["now", "next", "low"] })
      .notNull()
      .default("next"),
    replyTo: count("reply_to"),
    content: text("content").notNull(),
    salt: bytea("salt"),
    postedAt: instant("posted_at").notNull(),
    reaches: uuid("reaches").array(),
    answers: count("answers"),
    kind: text("kind"),
    contentHash: bytea("content_hash"),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.sequence] }),
    unique().on(table.sessionId, table.id),
    uniqueIndex("messages_settle_once")
      .on(table.sessionId, table.answers)
      .where(sql`${table.answers} IS NOT NULL`),
    index("messages_by_kind")
      .on(table.sessionId, table.kind, table.sequence)
      .where(sql`${table.kind} IS NOT NULL`),
    index("messages_redacting")
      .on(table.sessionId, table.replyTo)
      .where(sql`${table.kind} = 'message_redacted'`),
  ],
);

export const documents = pgTable("documents", {
  sessionId: uuid("session_id").primaryKey(),
  version: integer("version").notNull().default(0),
  content: text("content").notNull().default(""),
  conclusion: text("conclusion"),
  updatedAt: instant("updated_at").notNull(),
});

export const documentVersions = pgTable(
  "document_versions",
  {
    sessionId: uuid("session_id").notNull(),
    version: integer("version").notNull(),
    content: text("content"),
    writtenByTeamId: uuid("written_by_team_id").notNull(),
    writtenBy: text("written_by").notNull(),
    writtenAt: instant("written_at").notNull(),
    afterSequence: count("after_sequence").notNull(),
    salt: bytea("salt").default(sql`uuid_send(gen_random_uuid())`),
    contentHash: bytea("content_hash"),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.version] })],
);

export const idempotentResults = pgTable(
  "idempotent_results",
  {
    meshId: uuid("mesh_id").notNull(),
    requestHash: bytea("request_hash").notNull(),
    inputHash: bytea("input_hash").notNull(),
    sealedResult: bytea("sealed_result"),
    createdAt: instant("created_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.meshId, table.requestHash] })],
);

export const mcpSessions = pgTable(
  "mcp_sessions",
  {
    meshId: uuid("mesh_id").notNull(),
    idHash: bytea("id_hash").notNull(),
    initialize: jsonb("initialize").$type<unknown>().notNull(),
    createdAt: instant("created_at").notNull().defaultNow(),
    lastUsedAt: instant("last_used_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.meshId, table.idHash] })],
);

export const mcpSessionTeams = pgTable(
  "mcp_session_teams",
  {
    meshId: uuid("mesh_id").notNull(),
    idHash: bytea("id_hash").notNull(),
    sessionId: uuid("session_id").notNull(),
    sealedCredential: bytea("sealed_credential").notNull(),
  },
  (table) => [primaryKey({ columns: [table.meshId, table.idHash, table.sessionId] })],
);

export const stateEntries = pgTable(
  "state_entries",
  {
    scopeId: uuid("scope_id").notNull(),
    key: text("key").notNull(),
    version: integer("version").notNull(),
    value: text("value"),
    updatedBy: text("updated_by").notNull(),
    updatedByPeerId: uuid("updated_by_peer_id").notNull(),
    updatedAt: instant("updated_at").notNull(),
    announcedVersion: integer("announced_version").notNull().default(0),
    announcedAt: instant("announced_at"),
    words: tsvector("words").notNull().generatedAlwaysAs(sql``),
  },
  (table) => [
    primaryKey({ columns: [table.scopeId, table.key] }),
    index("state_entries_by_words").using("gin", table.words),
    index("state_entries_unannounced")
      .on(table.announcedAt)
      .where(sql`${table.announcedVersion} < ${table.version}`),
  ],
);

export const stateVersions = pgTable(
  "state_versions",
  {
    scopeId: uuid("scope_id").notNull(),
    key: text("key").notNull(),
    version: integer("version").notNull(),
    value: text("value"),
    updatedBy: text("updated_by").notNull(),
    updatedAt: instant("updated_at").notNull(),
    redacted: boolean("redacted").notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.scopeId, table.key, table.version] }),
    foreignKey({
      columns: [table.scopeId, table.key],
      foreignColumns: [stateEntries.scopeId, stateEntries.key],
    }),
  ],
);

export const stateWatches = pgTable(
  "state_watches",
  {
    sessionId: uuid("session_id").notNull(),
    peerId: uuid("peer_id").notNull(),
    scopeId: uuid("scope_id").notNull(),
    pattern: text("pattern").notNull(),
    isPrefix: boolean("is_prefix").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.peerId, table.scopeId, table.pattern, table.isPrefix] }),
    foreignKey({ columns: [table.sessionId, table.peerId], foreignColumns: [peers.sessionId, peers.peerId] }),
    index("state_watches_by_scope").on(table.scopeId),
  ],
);

export const memoryCounters = pgTable("memory_counters", {
  meshId: uuid("mesh_id").primaryKey(),
  lastNumber: count("last_number").notNull(),
});

export const memories = pgTable(
  "memories",
  {
    meshId: uuid("mesh_id").notNull(),
    number: count("number").notNull(),
    content: text("content").notNull(),
    tags: text("tags").array().notNull(),
    rememberedBy: text("remembered_by").notNull(),
    sessionId: uuid("session_id"),
    rememberedAt: instant("remembered_at").notNull(),
    forgottenBy: text("forgotten_by"),
    forgetReason: text("forget_reason"),
    forgottenAt: instant("forgotten_at"),
    words: tsvector("words").notNull().generatedAlwaysAs(sql``),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.number] }),
    index("memories_by_words").using("gin", table.words),
    index("memories_by_session").on(table.meshId, table.sessionId, table.number),
  ],
);

export const progressProjects = pgTable(
  "progress_projects",
  {
    meshId: uuid("mesh_id").notNull(),
    projectId: text("project_id").notNull(),
    name: text("name").notNull(),
    createdAt: instant("created_at").notNull(),
    lastNumber: count("last_number").notNull(),
  },
  (table) => [primaryKey({ columns: [table.meshId, table.projectId] })],
);

export const progressEntries = pgTable(
  "progress_entries",
  {
    meshId: uuid("mesh_id").notNull(),
    id: text("id").notNull(),
    projectId: text("project_id").notNull(),
    number: count("number").notNull(),
    title: text("title").notNull(),
    content: text("content").notNull(),
    summary: text("summary"),
    tags: text("tags").array().notNull(),
    agentId: text("agent_id"),
    loggedBy: text("logged_by").notNull(),
    sessionId: uuid("session_id"),
    createdAt: instant("created_at").notNull(),
    titleKey: text("title_key").notNull(),
    tagKeys: text("tag_keys").array().notNull(),
    words: tsvector("words").notNull().generatedAlwaysAs(sql``),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.id] }),
    foreignKey({
      columns: [table.meshId, table.projectId],
      foreignColumns: [progressProjects.meshId, progressProjects.projectId],
    }),
    index("progress_entries_by_time").on(
      table.meshId,
      table.projectId,
      table.createdAt.desc(),
      table.number.desc(),
    ),
    index("progress_entries_by_words").using("gin", table.words),
    index("progress_entries_newest").on(
      table.meshId,
      table.createdAt.desc(),
      table.number.desc(),
      table.id.desc(),
    ),
    index("progress_entries_by_session")
      .on(table.meshId, table.sessionId, table.createdAt.desc(), table.number.desc(), table.id.desc())
      .where(sql`${table.sessionId} IS NOT NULL`),
  ],
);

export const auditCounters = pgTable("audit_counters", {
  meshId: uuid("mesh_id").primaryKey(),
  lastSession: count("last_session").notNull().default(0),
  lastRecord: count("last_record").notNull().default(0),
});

export const auditSessions = pgTable(
  "audit_sessions",
  {
    meshId: uuid("mesh_id").notNull(),
    sessionId: text("session_id").notNull(),
    number: count("number").notNull(),
    intent: text("intent").notNull(),
    taskId: text("task_id"),
    startedBy: uuid("started_by").notNull(),
    starter: text("starter"),
    startedAt: instant("started_at").notNull(),
    recordCount: integer("record_count").notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.sessionId] }),
    unique().on(table.meshId, table.number),
    index("audit_sessions_by_starter").on(table.meshId, table.startedBy, table.number),
  ],
);

export const thoughtRecords = pgTable(
  "thought_records",
  {
    meshId: uuid("mesh_id").notNull(),
    number: count("number").notNull(),
    id: uuid("id").notNull(),
    type: text("type", { enum: ["plan", "analysis", "decision", "reflection"] }).notNull(),
    taskId: text("task_id").notNull(),
    content: text("content").notNull(),
    timestamp: instant("timestamp").notNull(),
    prevHash: text("prev_hash").notNull(),
    hash: text("hash").notNull(),
    sessionId: text("session_id"),
    recordedBy: text("recorded_by").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.number] }),
    unique().on(table.meshId, table.id),
    unique().on(table.meshId, table.taskId, table.prevHash),
    index("thought_records_by_task").on(table.meshId, table.taskId, table.number),
    index("thought_records_by_session").on(table.meshId, table.sessionId, table.number),
  ],
);

export const merkleRoots = pgTable(
  "merkle_roots",
  {
    meshId: uuid("mesh_id").notNull(),
    sessionId: text("session_id").notNull(),
    root: text("root").notNull(),
    recordCount: integer("record_count").notNull(),
    finalizedAt: instant("finalized_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.meshId, table.sessionId] })],
);

export const recordTiles = pgTable(
  "record_tiles",
  {
    sessionId: uuid("session_id").notNull(),
    log: text("log", { enum: ["feed", "document"] }).notNull(),
    level: smallint("level").notNull(),
    number: count("number").notNull(),
    hashes: bytea("hashes").notNull(),
    root: bytea("root").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.log, table.level, table.number] })],
);

export const recordRests = pgTable(
  "record_rests",
  {
    sessionId: uuid("session_id").notNull(),
    log: text("log", { enum: ["feed", "document"] }).notNull(),
    size: count("size").notNull(),
    hashes: bytea("hashes").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.log, table.size] })],
);

export const heads = pgTable(
  "heads",
  {
    sessionId: uuid("session_id").notNull(),
    size: count("size").notNull(),
    documentVersion: integer("document_version").notNull(),
    epoch: uuid("epoch").notNull(),
    recordId: uuid("record_id").notNull(),
    root: bytea("root").notNull(),
    documentHash: bytea("document_hash"),
    documentRoot: bytea("document_root").notNull(),
    at: instant("at").notNull(),
    keyId: text("key_id").notNull(),
    signature: bytea("signature").notNull(),
    sealed: boolean("sealed").notNull().default(false),
    about: bytea("about").notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.sessionId, table.size, table.documentVersion, table.keyId, table.about],
    }),
    index("heads_sealed").on(table.sessionId, table.size).where(sql`${table.sealed}`),
  ],
);

export const auditKeys = pgTable("audit_keys", {
  keyId: text("key_id").primaryKey(),
  number: integer("number").notNull().unique(),
  publicKey: bytea("public_key").notNull(),
  since: instant("since").notNull(),
  previous: text("previous"),
  succession: bytea("succession"),
});

export const importFiles = pgTable(
  "import_files",
  {
    sessionId: uuid("session_id").notNull(),
    name: text("name").notNull(),
    part: integer("part").notNull(),
    bytes: bytea("bytes").notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.name, table.part] })],
);

export const originKeys = pgTable(
  "origin_keys",
  {
    sessionId: uuid("session_id").notNull(),
    keyId: text("key_id").notNull(),
    publicKey: bytea("public_key").notNull(),
    since: instant("since").notNull(),
    previous: text("previous"),
    succession: bytea("succession"),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.keyId] })],
);

export const jobs = pgTable(
  "jobs",
  {
    meshId: uuid("mesh_id").notNull(),
    number: integer("number").notNull(),
    kind: text("kind", { enum: ["conclude", "incorporate", "perspective"] }).notNull(),
    sessionId: uuid("session_id"),
    root: text("root"),
    path: text("path"),
    topicId: integer("topic_id"),
    personaName: text("persona_name"),
    startedBy: text("started_by").notNull(),
    status: text("status", {
      enum: ["queued", "running", "succeeded", "failed", "timed_out", "cancelled"],
    })
      .notNull()
      .default("queued"),
    createdAt: instant("created_at").notNull(),
    startedAt: instant("started_at"),
    completedAt: instant("completed_at"),
    exitCode: integer("exit_code"),
    errorTail: text("error_tail"),
    failure: text("failure", {
      enum: ["unreachable", "overgrown", "exited", "no_result", "timed_out", "restarted", "lost", "stopped"],
    }),
    resultKind: text("result_kind", { enum: ["proposal", "perspective", "conclusion"] }),
    resultId: integer("result_id"),
    runner: text("runner"),
    runnerName: text("runner_name"),
    fence: integer("fence").notNull().default(0),
    leaseUntil: instant("lease_until"),
    secretHash: bytea("secret_hash").unique(),
    source: text("source")
      .notNull()
      .generatedAlwaysAs(
        sql`CASE WHEN path IS NULL THEN 'session ' || session_id::text ELSE 'file ' || root || '/' || path END`,
      ),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.number] }),
    uniqueIndex("jobs_one_in_flight")
      .on(table.meshId, table.source)
      .where(sql`${table.status} IN ('queued', 'running')`),
    index("jobs_in_flight")
      .on(table.status, table.createdAt)
      .where(sql`${table.status} IN ('queued', 'running')`),
    index("jobs_by_source").on(table.meshId, table.source, table.number.desc()),
    index("jobs_by_session").on(table.sessionId, table.number.desc()),
  ],
);

export const proposals = pgTable(
  "proposals",
  {
    meshId: uuid("mesh_id").notNull(),
    number: integer("number").notNull(),
    kind: text("kind", { enum: ["rewrite", "conclusion"] }).notNull(),
    sessionId: uuid("session_id"),
    root: text("root"),
    path: text("path"),
    topic: integer("topic"),
    revision: integer("revision").notNull(),
    baseVersion: integer("base_version"),
    baseHash: text("base_hash"),
    content: text("content"),
    added: integer("added").notNull(),
    removed: integer("removed").notNull(),
    note: text("note").notNull(),
    proposedBy: text("proposed_by"),
    job: integer("job"),
    proposedAt: instant("proposed_at").notNull(),
    status: text("status", { enum: ["open", "accepted", "rejected", "returned", "replaced"] })
      .notNull()
      .default("open"),
    decidedBy: text("decided_by"),
    decidedAt: instant("decided_at"),
    remark: text("remark"),
    acceptedContentHash: bytea("accepted_content_hash"),
    acceptedVersion: integer("accepted_version"),
    acceptedCommit: text("accepted_commit"),
    source: text("source")
      .notNull()
      .generatedAlwaysAs(
        sql`CASE WHEN path IS NULL THEN 'session ' || session_id::text ELSE 'file ' || root || '/' || path END`,
      ),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.number] }),
    unique("proposals_by_topic").on(table.meshId, table.topic, table.revision),
    uniqueIndex("proposals_open_of_topic").on(table.meshId, table.topic).where(sql`${table.status} = 'open'`),
    uniqueIndex("proposals_of_conclusion")
      .on(table.sessionId, table.revision)
      .where(sql`${table.kind} = 'conclusion'`),
    uniqueIndex("proposals_open_conclusion")
      .on(table.sessionId)
      .where(sql`${table.kind} = 'conclusion' AND ${table.status} = 'open'`),
    index("proposals_by_session").on(table.sessionId, table.number.desc()),
  ],
);

export const personas = pgTable(
  "personas",
  {
    meshId: uuid("mesh_id").notNull(),
    nameKey: text("name_key").notNull(),
    name: text("name").notNull(),
    prompt: text("prompt").notNull(),
    hash: text("hash").notNull(),
    version: integer("version").notNull(),
    retired: boolean("retired").notNull().default(false),
    updatedBy: text("updated_by"),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.meshId, table.nameKey] })],
);

export const perspectives = pgTable(
  "perspectives",
  {
    meshId: uuid("mesh_id").notNull(),
    number: integer("number").notNull(),
    sessionId: uuid("session_id"),
    root: text("root"),
    path: text("path"),
    source: text("source")
      .notNull()
      .generatedAlwaysAs(
        sql`CASE WHEN path IS NULL THEN 'session ' || session_id::text ELSE 'file ' || root || '/' || path END`,
      ),
    sourceVersion: integer("source_version"),
    sourceHash: text("source_hash").notNull(),
    personaKey: text("persona_key").notNull(),
    personaHash: text("persona_hash").notNull(),
    content: text("content").notNull(),
    job: integer("job").notNull(),
    madeAt: instant("made_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.number] }),
    unique().on(table.meshId, table.source, table.sourceHash, table.personaHash),
    index("perspectives_by_persona").on(table.meshId, table.source, table.personaKey, table.madeAt.desc()),
  ],
);

export const topics = pgTable(
  "topics",
  {
    meshId: uuid("mesh_id").notNull(),
    number: integer("number").notNull(),
    sessionId: uuid("session_id"),
    root: text("root"),
    path: text("path"),
    status: text("status", { enum: ["open", "closed"] })
      .notNull()
      .default("open"),
    title: text("title").notNull(),
    openedBy: text("opened_by").notNull(),
    openedAt: instant("opened_at").notNull(),
    closedBy: text("closed_by"),
    closedAt: instant("closed_at"),
    closeReason: text("close_reason", { enum: ["resolved", "accepted", "withdrawn"] }),
    quote: text("quote"),
    prefix: text("prefix").notNull().default(""),
    suffix: text("suffix").notNull().default(""),
    madeAtVersion: integer("made_at_version"),
    madeAtHash: text("made_at_hash"),
    placeAtVersion: integer("place_at_version"),
    placeAtHash: text("place_at_hash"),
    startAt: integer("start_at"),
    endAt: integer("end_at"),
    foundAtVersion: integer("found_at_version"),
    foundAtHash: text("found_at_hash"),
    found: text("found", { enum: ["exact", "moved", "reworded", "lost"] }),
    lastSequence: integer("last_sequence").notNull().default(0),
    source: text("source")
      .notNull()
      .generatedAlwaysAs(
        sql`CASE WHEN path IS NULL THEN 'session ' || session_id::text ELSE 'file ' || root || '/' || path END`,
      ),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.number] }),
    index("topics_by_source").on(table.meshId, table.source, table.number.desc()),
    index("topics_with_places")
      .on(table.meshId, table.source)
      .where(sql`${table.status} = 'open' AND ${table.quote} IS NOT NULL`),
  ],
);

export const topicMessages = pgTable(
  "topic_messages",
  {
    meshId: uuid("mesh_id").notNull(),
    topic: integer("topic").notNull(),
    sequence: integer("sequence").notNull(),
    teamId: uuid("team_id"),
    personId: uuid("person_id"),
    author: text("author").notNull(),
    authorHuman: boolean("author_human").notNull().default(false),
    text: text("text").notNull(),
    job: integer("job"),
    proposal: integer("proposal"),
    at: instant("at").notNull(),
    words: tsvector("words").notNull().generatedAlwaysAs(sql``),
  },
  (table) => [
    primaryKey({ columns: [table.meshId, table.topic, table.sequence] }),
    foreignKey({ columns: [table.meshId, table.topic], foreignColumns: [topics.meshId, topics.number] }),
    index("topic_messages_by_words").using("gin", table.words),
  ],
);

export const searchHeads = pgTable("search_heads", {
  sessionId: uuid("session_id").primaryKey(),
  lastSequence: count("last_sequence").notNull().default(0),
  documentVersion: integer("document_version").notNull().default(0),
});

export const messageWords = pgTable(
  "message_words",
  {
    sessionId: uuid("session_id").notNull(),
    sequence: count("sequence").notNull(),
    decision: boolean("decision").notNull(),
    postedAt: instant("posted_at").notNull(),
    words: tsvector("words").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.sequence] }),
    index("message_words_by_words").using("gin", table.words),
  ],
);

export const documentWords = pgTable(
  "document_words",
  {
    sessionId: uuid("session_id").notNull(),
    piece: integer("piece").notNull(),
    version: integer("version").notNull(),
    content: text("content").notNull(),
    words: tsvector("words").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.piece] }),
    index("document_words_by_words").using("gin", table.words),
  ],
);

export const sourceTexts = pgTable(
  "source_texts",
  {
    meshId: uuid("mesh_id").notNull(),
    root: text("root").notNull(),
    path: text("path").notNull(),
    hash: text("hash").notNull(),
    content: text("content").notNull(),
    seenAt: instant("seen_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.meshId, table.root, table.path, table.hash] })],
);
