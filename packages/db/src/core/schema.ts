// Written by `npm run schema` from a database with all migrations. Change the migrations, then run it again.
// It has what queries need, the columns; keys, indexes, constraints and their reasons are in `migrations/`.
import { sql } from "drizzle-orm";
import { bigint, boolean, customType, date, integer, jsonb, pgTable, smallint, text, timestamp, uuid } from "drizzle-orm/pg-core";

const tsvector = customType<{ data: string }>({ dataType: () => "tsvector" });
const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
const count = (name: string) => bigint(name, { mode: "number" });

export const alertTargets = pgTable("alert_targets", {
  meshId: uuid("mesh_id").notNull(),
  targetId: uuid("target_id").notNull(),
  personId: uuid("person_id").notNull(),
  kind: text("kind", { enum: ["push", "webhook", "ntfy", "slack", "discord"] }).notNull(),
  name: text("name").notNull(),
  sealed: bytea("sealed").notNull(),
  about: text("about").array().notNull(),
  quiet: jsonb("quiet").$type<{ from: string; to: string; time_zone: string }>(),
  createdAt: instant("created_at").notNull(),
  changedAt: instant("changed_at").notNull(),
  lastSentAt: instant("last_sent_at"),
  problem: text("problem"),
  endedAt: instant("ended_at"),
});

export const alerts = pgTable("alerts", {
  meshId: uuid("mesh_id").notNull(),
  targetId: uuid("target_id").notNull(),
  item: text("item").notNull(),
  state: text("state", { enum: ["known", "waiting", "sent", "given_up"] }).notNull(),
  attempts: integer("attempts").notNull().default(sql`0`),
  dueAt: instant("due_at").notNull(),
});

export const approvals = pgTable("approvals", {
  meshId: uuid("mesh_id").notNull(),
  number: integer("number").notNull(),
  sessionId: uuid("session_id").notNull(),
  peerId: uuid("peer_id").notNull(),
  askedBy: text("asked_by").notNull(),
  personId: uuid("person_id").notNull(),
  devices: text("devices").array().notNull(),
  tool: text("tool").notNull(),
  input: text("input").notNull(),
  folder: text("folder").notNull(),
  salt: text("salt").notNull(),
  hash: text("hash").notNull(),
  state: text("state", { enum: ["waiting", "allowed", "denied", "left", "withdrawn"] }).notNull().default(sql`'waiting'::text`),
  words: text("words"),
  askedAt: instant("asked_at").notNull().default(sql`now()`),
  expiresAt: instant("expires_at").notNull(),
  endedAt: instant("ended_at"),
  answers: text("answers").array(),
  own: jsonb("own"),
  repeatHash: text("repeat_hash"),
  again: boolean("again").notNull().default(sql`false`),
  allowedBy: integer("allowed_by"),
});

export const archives = pgTable("archives", {
  sessionId: uuid("session_id").notNull(),
  object: text("object").notNull(),
  state: text("state", { enum: ["storing", "leaving", "away", "removing"] }).notNull(),
  nodeId: uuid("node_id").notNull(),
  epoch: uuid("epoch").notNull(),
  bundleBytes: count("bundle_bytes"),
  bundleSha256: bytea("bundle_sha256"),
  rowsBytes: count("rows_bytes"),
  rowsSha256: bytea("rows_sha256"),
  archivedBy: text("archived_by"),
  archivedAt: instant("archived_at"),
});

export const auditCounters = pgTable("audit_counters", {
  meshId: uuid("mesh_id").notNull(),
  lastSession: count("last_session").notNull().default(sql`0`),
  lastRecord: count("last_record").notNull().default(sql`0`),
});

export const auditKeys = pgTable("audit_keys", {
  keyId: text("key_id").notNull(),
  number: integer("number").notNull(),
  publicKey: bytea("public_key").notNull(),
  since: instant("since").notNull(),
  previous: text("previous"),
  succession: bytea("succession"),
});

export const auditSessions = pgTable("audit_sessions", {
  meshId: uuid("mesh_id").notNull(),
  sessionId: text("session_id").notNull(),
  number: count("number").notNull(),
  intent: text("intent").notNull(),
  taskId: text("task_id"),
  startedBy: uuid("started_by").notNull(),
  startedAt: instant("started_at").notNull(),
  recordCount: integer("record_count").notNull().default(sql`0`),
  starter: text("starter"),
});

export const checkouts = pgTable("checkouts", {
  sessionId: uuid("session_id").notNull(),
  peerId: uuid("peer_id").notNull(),
  task: integer("task").notNull(),
  checkout: jsonb("checkout").notNull(),
  reportedAt: instant("reported_at").notNull(),
});

export const checkpoints = pgTable("checkpoints", {
  meshId: uuid("mesh_id").notNull(),
  epoch: uuid("epoch").notNull(),
  size: count("size").notNull(),
  note: text("note").notNull(),
});

export const claims = pgTable("claims", {
  sessionId: uuid("session_id").notNull(),
  number: integer("number").notNull(),
  scope: text("scope").notNull(),
  shared: boolean("shared").notNull(),
  reason: text("reason"),
  holder: text("holder").notNull(),
  peerId: uuid("peer_id").notNull(),
  claimedAt: instant("claimed_at").notNull().default(sql`now()`),
  renewedAt: instant("renewed_at").notNull().default(sql`now()`),
  expiresAt: instant("expires_at"),
  handedBackAt: instant("handed_back_at"),
  repository: text("repository"),
});

export const clientGrants = pgTable("client_grants", {
  meshId: uuid("mesh_id").notNull(),
  number: integer("number").notNull(),
  sessionId: uuid("session_id").notNull(),
  teamId: uuid("team_id").notNull(),
  clientHash: bytea("client_hash").notNull(),
  redirectUri: text("redirect_uri").notNull(),
  resource: text("resource").notNull(),
  challenge: text("challenge").notNull(),
  codeHash: bytea("code_hash").notNull(),
  codeExpiresAt: instant("code_expires_at").notNull(),
  codeUsedAt: instant("code_used_at"),
});

export const cosignatures = pgTable("cosignatures", {
  meshId: uuid("mesh_id").notNull(),
  epoch: uuid("epoch").notNull(),
  size: count("size").notNull(),
  witness: bytea("witness").notNull(),
  at: count("at").notNull(),
  line: text("line").notNull(),
});

export const dismissals = pgTable("dismissals", {
  meshId: uuid("mesh_id").notNull(),
  personId: uuid("person_id").notNull(),
  item: text("item").notNull(),
  until: instant("until"),
  at: instant("at").notNull().default(sql`now()`),
});

export const documentVersions = pgTable("document_versions", {
  sessionId: uuid("session_id").notNull(),
  version: integer("version").notNull(),
  content: text("content"),
  writtenByTeamId: uuid("written_by_team_id").notNull(),
  writtenBy: text("written_by").notNull(),
  writtenAt: instant("written_at").notNull(),
  afterSequence: count("after_sequence").notNull(),
  salt: bytea("salt").default(sql`uuid_send(gen_random_uuid())`),
  contentHash: bytea("content_hash"),
});

export const documentWords = pgTable("document_words", {
  sessionId: uuid("session_id").notNull(),
  piece: integer("piece").notNull(),
  version: integer("version").notNull(),
  content: text("content").notNull(),
  words: tsvector("words").notNull(),
});

export const documents = pgTable("documents", {
  sessionId: uuid("session_id").notNull(),
  version: integer("version").notNull().default(sql`0`),
  content: text("content").notNull().default(sql`''::text`),
  conclusion: text("conclusion"),
  updatedAt: instant("updated_at").notNull(),
});

export const feeds = pgTable("feeds", {
  sessionId: uuid("session_id").notNull(),
  lastSequence: count("last_sequence").notNull().default(sql`0`),
  lastPostedAt: instant("last_posted_at"),
  closedAt: instant("closed_at"),
  lastChatSequence: count("last_chat_sequence").notNull().default(sql`0`),
  heldAt: instant("held_at"),
  messageBudget: integer("message_budget").notNull().default(sql`0`),
  agentMessages: count("agent_messages").notNull().default(sql`0`),
  agentMessagesAtHuman: count("agent_messages_at_human").notNull().default(sql`0`),
  archivedAt: instant("archived_at"),
});

export const fileChunks = pgTable("file_chunks", {
  meshId: uuid("mesh_id").notNull(),
  fileId: uuid("file_id").notNull(),
  start: count("start").notNull(),
  bytes: bytea("bytes").notNull(),
});

export const fileUploads = pgTable("file_uploads", {
  sessionId: uuid("session_id").notNull(),
  ownerId: uuid("owner_id").notNull(),
  uploadId: uuid("upload_id").notNull(),
  meshId: uuid("mesh_id").notNull(),
  fileId: uuid("file_id").notNull(),
  name: text("name").notNull(),
  keepMetadata: boolean("keep_metadata").notNull(),
  size: count("size").notNull(),
  received: count("received").notNull().default(sql`0`),
  createdAt: instant("created_at").notNull().default(sql`now()`),
  completedAt: instant("completed_at"),
});

export const fileUsage = pgTable("file_usage", {
  meshId: uuid("mesh_id").notNull(),
  bytes: count("bytes").notNull(),
});

export const files = pgTable("files", {
  meshId: uuid("mesh_id").notNull(),
  fileId: uuid("file_id").notNull(),
  size: count("size").notNull(),
  digest: bytea("digest"),
  type: text("type"),
  createdAt: instant("created_at").notNull().default(sql`now()`),
});

export const furtherSecrets = pgTable("further_secrets", {
  scopeId: uuid("scope_id").notNull(),
  id: uuid("id").notNull(),
  secretHash: bytea("secret_hash").notNull(),
  createdAt: instant("created_at").notNull().default(sql`now()`),
});

export const heads = pgTable("heads", {
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
  sealed: boolean("sealed").notNull().default(sql`false`),
  about: bytea("about").notNull().default(sql`'\x'::bytea`),
});

export const idempotentResults = pgTable("idempotent_results", {
  meshId: uuid("mesh_id").notNull(),
  requestHash: bytea("request_hash").notNull(),
  inputHash: bytea("input_hash").notNull(),
  sealedResult: bytea("sealed_result"),
  createdAt: instant("created_at").notNull().default(sql`now()`),
});

export const importFiles = pgTable("import_files", {
  sessionId: uuid("session_id").notNull(),
  name: text("name").notNull(),
  part: integer("part").notNull(),
  bytes: bytea("bytes").notNull(),
});

export const invites = pgTable("invites", {
  meshId: uuid("mesh_id").notNull(),
  number: integer("number").notNull(),
  secretHash: bytea("secret_hash").notNull(),
  role: text("role", { enum: ["admin", "member"] }).notNull(),
  sessionId: uuid("session_id"),
  invitedBy: uuid("invited_by"),
  inviter: text("inviter").notNull(),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  usesMax: integer("uses_max").notNull(),
  uses: integer("uses").notNull().default(sql`0`),
  revokedAt: instant("revoked_at"),
  codeHash: bytea("code_hash"),
  codeExpiresAt: instant("code_expires_at"),
  codeTriesLeft: integer("code_tries_left").notNull().default(sql`0`),
  parent: integer("parent"),
  program: integer("program"),
});

export const jobs = pgTable("jobs", {
  meshId: uuid("mesh_id").notNull(),
  number: integer("number").notNull(),
  kind: text("kind", { enum: ["conclude", "incorporate", "perspective"] }).notNull(),
  sessionId: uuid("session_id"),
  root: text("root"),
  path: text("path"),
  topicId: integer("topic_id"),
  personaName: text("persona_name"),
  startedBy: text("started_by").notNull(),
  status: text("status", { enum: ["queued", "running", "succeeded", "failed", "timed_out", "cancelled"] }).notNull().default(sql`'queued'::text`),
  createdAt: instant("created_at").notNull(),
  startedAt: instant("started_at"),
  completedAt: instant("completed_at"),
  exitCode: integer("exit_code"),
  errorTail: text("error_tail"),
  failure: text("failure", { enum: ["unreachable", "overgrown", "exited", "no_result", "timed_out", "restarted", "lost", "stopped"] }),
  resultKind: text("result_kind", { enum: ["proposal", "perspective", "conclusion"] }),
  resultId: integer("result_id"),
  runner: text("runner"),
  fence: integer("fence").notNull().default(sql`0`),
  leaseUntil: instant("lease_until"),
  secretHash: bytea("secret_hash"),
  source: text("source").notNull().generatedAlwaysAs(sql``),
  runnerName: text("runner_name"),
});

export const logEntries = pgTable("log_entries", {
  meshId: uuid("mesh_id").notNull(),
  epoch: uuid("epoch").notNull(),
  index: count("index").notNull(),
  text: text("text").notNull(),
  signature: bytea("signature"),
  signedAt: instant("signed_at"),
  subtrees: bytea("subtrees").notNull(),
});

export const mcpSessionTeams = pgTable("mcp_session_teams", {
  meshId: uuid("mesh_id").notNull(),
  idHash: bytea("id_hash").notNull(),
  sessionId: uuid("session_id").notNull(),
  sealedCredential: bytea("sealed_credential").notNull(),
});

export const mcpSessions = pgTable("mcp_sessions", {
  meshId: uuid("mesh_id").notNull(),
  idHash: bytea("id_hash").notNull(),
  initialize: jsonb("initialize").notNull(),
  createdAt: instant("created_at").notNull().default(sql`now()`),
  lastUsedAt: instant("last_used_at").notNull().default(sql`now()`),
  cancelled: jsonb("cancelled").notNull().default(sql`'[]'::jsonb`),
});

export const members = pgTable("members", {
  meshId: uuid("mesh_id").notNull(),
  memberId: uuid("member_id").notNull(),
  name: text("name").notNull(),
  role: text("role", { enum: ["admin", "member"] }).notNull(),
  publicKey: bytea("public_key").notNull(),
  invite: integer("invite"),
  joinedAt: instant("joined_at").notNull(),
  revokedAt: instant("revoked_at"),
  revokedBy: text("revoked_by"),
  vouchedBy: uuid("vouched_by"),
  program: integer("program"),
});

export const memories = pgTable("memories", {
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
});

export const memoryCounters = pgTable("memory_counters", {
  meshId: uuid("mesh_id").notNull(),
  lastNumber: count("last_number").notNull(),
});

export const merkleRoots = pgTable("merkle_roots", {
  meshId: uuid("mesh_id").notNull(),
  sessionId: text("session_id").notNull(),
  root: text("root").notNull(),
  recordCount: integer("record_count").notNull(),
  finalizedAt: instant("finalized_at").notNull(),
});

export const meshLogs = pgTable("mesh_logs", {
  meshId: uuid("mesh_id").notNull(),
  epoch: uuid("epoch").notNull(),
  size: count("size").notNull(),
  keyId: text("key_id").notNull(),
  begunAt: instant("begun_at").notNull().default(sql`now()`),
});

export const meshes = pgTable("meshes", {
  meshId: uuid("mesh_id").notNull(),
  name: text("name").notNull(),
  createdAt: instant("created_at").notNull().default(sql`now()`),
  lastInvite: integer("last_invite").notNull().default(sql`0`),
  lastToken: integer("last_token").notNull().default(sql`0`),
  lastJob: integer("last_job").notNull().default(sql`0`),
  lastTopic: integer("last_topic").notNull().default(sql`0`),
  lastProposal: integer("last_proposal").notNull().default(sql`0`),
  lastPerspective: integer("last_perspective").notNull().default(sql`0`),
  lastApproval: integer("last_approval").notNull().default(sql`0`),
  quotas: jsonb("quotas").notNull().default(sql`'{}'::jsonb`),
});

export const messageFiles = pgTable("message_files", {
  sessionId: uuid("session_id").notNull(),
  messageId: uuid("message_id").notNull(),
  meshId: uuid("mesh_id").notNull(),
  fileId: uuid("file_id").notNull(),
  settled: boolean("settled").notNull().default(sql`false`),
  namedAt: instant("named_at").notNull().default(sql`now()`),
});

export const messageWords = pgTable("message_words", {
  sessionId: uuid("session_id").notNull(),
  sequence: count("sequence").notNull(),
  decision: boolean("decision").notNull(),
  postedAt: instant("posted_at").notNull(),
  words: tsvector("words").notNull(),
});

export const messages = pgTable("messages", {
  sessionId: uuid("session_id").notNull(),
  sequence: count("sequence").notNull(),
  id: uuid("id").notNull(),
  type: text("type", { enum: ["chat", "system"] }).notNull(),
  postedByTeamId: uuid("posted_by_team_id"),
  postedByPeerId: uuid("posted_by_peer_id"),
  authorTeam: text("author_team"),
  authorPeer: text("author_peer"),
  authorHuman: boolean("author_human").notNull().default(sql`false`),
  recipients: text("recipients").array().notNull().default(sql`'{*}'::text[]`),
  priority: text("priority", { enum: ["now", "next", "low"] }).notNull().default(sql`'next'::text`),
  replyTo: count("reply_to"),
  content: text("content").notNull(),
  salt: bytea("salt"),
  postedAt: instant("posted_at").notNull(),
  reaches: uuid("reaches").array(),
  answers: count("answers"),
  kind: text("kind"),
  contentHash: bytea("content_hash"),
});

export const nodes = pgTable("nodes", {
  nodeId: uuid("node_id").notNull(),
  version: text("version").notNull(),
  address: text("address").notNull(),
  bus: text("bus").notNull(),
  epoch: text("epoch").notNull(),
  auditKey: text("audit_key").notNull(),
  clockMs: integer("clock_ms").notNull(),
  startedAt: instant("started_at").notNull().default(sql`now()`),
  lastSeenAt: instant("last_seen_at").notNull().default(sql`now()`),
});

export const nudges = pgTable("nudges", {
  nudgeId: uuid("nudge_id").notNull(),
  sessionId: uuid("session_id").notNull(),
  byName: text("by_name").notNull(),
  byHuman: boolean("by_human").notNull(),
  peerIds: jsonb("peer_ids").notNull(),
  answers: jsonb("answers").notNull().default(sql`'{}'::jsonb`),
  createdAt: instant("created_at").notNull().default(sql`now()`),
});

export const originKeys = pgTable("origin_keys", {
  sessionId: uuid("session_id").notNull(),
  keyId: text("key_id").notNull(),
  publicKey: bytea("public_key").notNull(),
  since: instant("since").notNull(),
  previous: text("previous"),
  succession: bytea("succession"),
});

export const peers = pgTable("peers", {
  sessionId: uuid("session_id").notNull(),
  peerId: uuid("peer_id").notNull(),
  teamId: uuid("team_id").notNull(),
  name: text("name"),
  acked: count("acked").notNull().default(sql`0`),
  offered: count("offered").notNull().default(sql`0`),
  returned: count("returned").notNull().default(sql`0`),
  documentVersion: integer("document_version").notNull().default(sql`0`),
  idlePolls: integer("idle_polls").notNull().default(sql`0`),
  lastSeenAt: instant("last_seen_at"),
  secretHash: bytea("secret_hash"),
  role: text("role"),
  groups: jsonb("groups").$type<readonly { name: string; role: string | null }[]>().notNull().default(sql`'[]'::jsonb`),
  declaredStatus: text("declared_status", { enum: ["idle", "working", "dnd", "blocked"] }),
  declaredReason: text("declared_reason"),
  declaredAt: instant("declared_at"),
  summary: text("summary"),
  summaryAt: instant("summary_at"),
  capabilities: jsonb("capabilities"),
  cwd: text("cwd"),
  machine: text("machine"),
  sessionKey: text("session_key"),
  joinedAt: instant("joined_at").notNull().default(sql`now()`),
  lastPolledAt: instant("last_polled_at"),
  leftAt: instant("left_at"),
  keyCard: jsonb("key_card"),
  resync: boolean("resync").notNull().default(sql`false`),
  heldNode: uuid("held_node"),
  pollingNode: uuid("polling_node"),
  goneAt: instant("gone_at"),
  repeated: count("repeated").notNull().default(sql`0`),
  here: jsonb("here").notNull().default(sql`'{}'::jsonb`),
  wake: text("wake", { enum: ["everything", "addressed"] }).notNull().default(sql`'everything'::text`),
  ownWords: jsonb("own_words"),
});

export const personReads = pgTable("person_reads", {
  meshId: uuid("mesh_id").notNull(),
  personId: uuid("person_id").notNull(),
  sessionId: uuid("session_id").notNull(),
  lastRead: count("last_read").notNull(),
});

export const personas = pgTable("personas", {
  meshId: uuid("mesh_id").notNull(),
  nameKey: text("name_key").notNull(),
  name: text("name").notNull(),
  prompt: text("prompt").notNull(),
  hash: text("hash").notNull(),
  version: integer("version").notNull(),
  retired: boolean("retired").notNull().default(sql`false`),
  updatedBy: text("updated_by"),
  updatedAt: instant("updated_at").notNull(),
});

export const persons = pgTable("persons", {
  meshId: uuid("mesh_id").notNull(),
  personId: uuid("person_id").notNull(),
  name: text("name").notNull(),
  secretHash: bytea("secret_hash").notNull(),
  createdAt: instant("created_at").notNull(),
  memberId: uuid("member_id"),
  verifiedAt: instant("verified_at"),
});

export const perspectives = pgTable("perspectives", {
  meshId: uuid("mesh_id").notNull(),
  number: integer("number").notNull(),
  sessionId: uuid("session_id"),
  root: text("root"),
  path: text("path"),
  source: text("source").notNull().generatedAlwaysAs(sql``),
  sourceVersion: integer("source_version"),
  sourceHash: text("source_hash").notNull(),
  personaKey: text("persona_key").notNull(),
  personaHash: text("persona_hash").notNull(),
  content: text("content").notNull(),
  job: integer("job").notNull(),
  madeAt: instant("made_at").notNull(),
});

export const progressEntries = pgTable("progress_entries", {
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
});

export const progressProjects = pgTable("progress_projects", {
  meshId: uuid("mesh_id").notNull(),
  projectId: text("project_id").notNull(),
  name: text("name").notNull(),
  createdAt: instant("created_at").notNull(),
  lastNumber: count("last_number").notNull(),
});

export const proposals = pgTable("proposals", {
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
  status: text("status", { enum: ["open", "accepted", "rejected", "returned", "replaced"] }).notNull().default(sql`'open'::text`),
  decidedBy: text("decided_by"),
  decidedAt: instant("decided_at"),
  remark: text("remark"),
  acceptedContentHash: bytea("accepted_content_hash"),
  acceptedVersion: integer("accepted_version"),
  acceptedCommit: text("accepted_commit"),
  source: text("source").notNull().generatedAlwaysAs(sql``),
});

export const receipts = pgTable("receipts", {
  sessionId: uuid("session_id").notNull(),
  peerId: uuid("peer_id").notNull(),
  cursor: count("cursor").notNull(),
  at: instant("at").notNull().default(sql`now()`),
});

export const recordRests = pgTable("record_rests", {
  sessionId: uuid("session_id").notNull(),
  log: text("log", { enum: ["feed", "document"] }).notNull(),
  size: count("size").notNull(),
  hashes: bytea("hashes").notNull(),
});

export const recordTiles = pgTable("record_tiles", {
  sessionId: uuid("session_id").notNull(),
  log: text("log", { enum: ["feed", "document"] }).notNull(),
  level: smallint("level").notNull(),
  number: count("number").notNull(),
  hashes: bytea("hashes").notNull(),
  root: bytea("root").notNull(),
});

export const searchHeads = pgTable("search_heads", {
  sessionId: uuid("session_id").notNull(),
  lastSequence: count("last_sequence").notNull().default(sql`0`),
  documentVersion: integer("document_version").notNull().default(sql`0`),
});

export const sessionSlugs = pgTable("session_slugs", {
  meshId: uuid("mesh_id").notNull(),
  slug: text("slug").notNull(),
  sessionId: uuid("session_id").notNull(),
});

export const sessions = pgTable("sessions", {
  sessionId: uuid("session_id").notNull(),
  meshId: uuid("mesh_id").notNull(),
  slug: text("slug").notNull(),
  title: text("title").notNull(),
  description: text("description").notNull(),
  createdByTeamId: uuid("created_by_team_id").notNull(),
  settings: jsonb("settings").notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
  metadataChangedAt: instant("metadata_changed_at"),
  heldBy: text("held_by"),
  holdReason: text("hold_reason"),
  words: tsvector("words").notNull().generatedAlwaysAs(sql``),
  metadataChangedBy: text("metadata_changed_by"),
  metadataChangeReason: text("metadata_change_reason"),
  originId: uuid("origin_id"),
  importedAt: instant("imported_at"),
  originKey: text("origin_key"),
  lastTask: integer("last_task").notNull().default(sql`0`),
  lastClaim: integer("last_claim").notNull().default(sql`0`),
  tokensUsed: count("tokens_used").notNull().default(sql`0`),
  tokensAtHuman: count("tokens_at_human").notNull().default(sql`0`),
  tokensNearAt: instant("tokens_near_at"),
  tokensNear: text("tokens_near"),
  bytes: count("bytes").notNull().default(sql`0`),
  bytesToSequence: count("bytes_to_sequence").notNull().default(sql`0`),
  bytesToVersion: integer("bytes_to_version").notNull().default(sql`0`),
});

export const settings = pgTable("settings", {
  key: text("key").notNull(),
  value: jsonb("value").notNull(),
  updatedAt: instant("updated_at").notNull().default(sql`now()`),
});

export const sourceTexts = pgTable("source_texts", {
  meshId: uuid("mesh_id").notNull(),
  root: text("root").notNull(),
  path: text("path").notNull(),
  hash: text("hash").notNull(),
  content: text("content").notNull(),
  seenAt: instant("seen_at").notNull(),
});

export const stateEntries = pgTable("state_entries", {
  scopeId: uuid("scope_id").notNull(),
  key: text("key").notNull(),
  version: integer("version").notNull(),
  value: text("value"),
  updatedBy: text("updated_by").notNull(),
  updatedByPeerId: uuid("updated_by_peer_id").notNull(),
  updatedAt: instant("updated_at").notNull(),
  announcedVersion: integer("announced_version").notNull().default(sql`0`),
  announcedAt: instant("announced_at"),
  words: tsvector("words").notNull().generatedAlwaysAs(sql``),
});

export const stateVersions = pgTable("state_versions", {
  scopeId: uuid("scope_id").notNull(),
  key: text("key").notNull(),
  version: integer("version").notNull(),
  value: text("value"),
  updatedBy: text("updated_by").notNull(),
  updatedAt: instant("updated_at").notNull(),
  redacted: boolean("redacted").notNull().default(sql`false`),
});

export const stateWatches = pgTable("state_watches", {
  sessionId: uuid("session_id").notNull(),
  peerId: uuid("peer_id").notNull(),
  scopeId: uuid("scope_id").notNull(),
  pattern: text("pattern").notNull(),
  isPrefix: boolean("is_prefix").notNull(),
});

export const tasks = pgTable("tasks", {
  sessionId: uuid("session_id").notNull(),
  number: integer("number").notNull(),
  title: text("title").notNull(),
  text: text("text").notNull(),
  state: text("state", { enum: ["open", "claimed", "in_review", "done", "cancelled"] }).notNull(),
  blockedBy: integer("blocked_by").array().notNull().default(sql`'{}'::integer[]`),
  labels: text("labels").array().notNull().default(sql`'{}'::text[]`),
  links: jsonb("links").$type<readonly ({ message: number } | { section: string })[]>().notNull().default(sql`'[]'::jsonb`),
  check: jsonb("check").$type<{ command: string } | { reviewer: string }>(),
  assignee: text("assignee"),
  assigneeTeamId: uuid("assignee_team_id"),
  assigneePeerId: uuid("assignee_peer_id"),
  createdBy: text("created_by").notNull(),
  createdByPeerId: uuid("created_by_peer_id").notNull(),
  createdAt: instant("created_at").notNull().default(sql`now()`),
  updatedAt: instant("updated_at").notNull().default(sql`now()`),
  fence: integer("fence").notNull().default(sql`0`),
  holder: text("holder"),
  holderPeerId: uuid("holder_peer_id"),
  claimedAt: instant("claimed_at"),
  renewedAt: instant("renewed_at"),
  handedBackAt: instant("handed_back_at"),
  result: text("result"),
  proof: jsonb("proof").$type<{ exit_code: number; tail: string }>(),
  files: text("files").array().notNull().default(sql`'{}'::text[]`),
  words: tsvector("words"),
});

export const teams = pgTable("teams", {
  sessionId: uuid("session_id").notNull(),
  teamId: uuid("team_id").notNull(),
  name: text("name").notNull(),
  kind: text("kind", { enum: ["agent", "human", "guest"] }).notNull().default(sql`'agent'::text`),
  secretHash: bytea("secret_hash"),
  joinedAt: instant("joined_at").notNull(),
  leftAt: instant("left_at"),
  personId: uuid("person_id"),
  colour: integer("colour").notNull().default(sql`0`),
  memberId: uuid("member_id"),
  tokensUsed: count("tokens_used").notNull().default(sql`0`),
  tokensAtHuman: count("tokens_at_human").notNull().default(sql`0`),
});

export const thoughtRecords = pgTable("thought_records", {
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
});

export const tokens = pgTable("tokens", {
  meshId: uuid("mesh_id").notNull(),
  number: integer("number").notNull(),
  kind: text("kind", { enum: ["bearer", "browser", "sign_in", "ticket", "observer", "client"] }).notNull(),
  secretHash: bytea("secret_hash").notNull(),
  memberId: uuid("member_id"),
  sessionId: uuid("session_id"),
  parent: integer("parent"),
  label: text("label"),
  createdBy: uuid("created_by"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  lastUsedAt: instant("last_used_at"),
  revokedAt: instant("revoked_at"),
  program: integer("program"),
});

export const topicMessages = pgTable("topic_messages", {
  meshId: uuid("mesh_id").notNull(),
  topic: integer("topic").notNull(),
  sequence: integer("sequence").notNull(),
  teamId: uuid("team_id"),
  personId: uuid("person_id"),
  author: text("author").notNull(),
  authorHuman: boolean("author_human").notNull().default(sql`false`),
  text: text("text").notNull(),
  job: integer("job"),
  proposal: integer("proposal"),
  at: instant("at").notNull(),
  words: tsvector("words").notNull().generatedAlwaysAs(sql``),
});

export const topics = pgTable("topics", {
  meshId: uuid("mesh_id").notNull(),
  number: integer("number").notNull(),
  sessionId: uuid("session_id"),
  root: text("root"),
  path: text("path"),
  status: text("status", { enum: ["open", "closed"] }).notNull().default(sql`'open'::text`),
  title: text("title").notNull(),
  openedBy: text("opened_by").notNull(),
  openedAt: instant("opened_at").notNull(),
  closedBy: text("closed_by"),
  closedAt: instant("closed_at"),
  closeReason: text("close_reason", { enum: ["resolved", "accepted", "withdrawn"] }),
  quote: text("quote"),
  prefix: text("prefix").notNull().default(sql`''::text`),
  suffix: text("suffix").notNull().default(sql`''::text`),
  madeAtVersion: integer("made_at_version"),
  madeAtHash: text("made_at_hash"),
  placeAtVersion: integer("place_at_version"),
  placeAtHash: text("place_at_hash"),
  startAt: integer("start_at"),
  endAt: integer("end_at"),
  foundAtVersion: integer("found_at_version"),
  foundAtHash: text("found_at_hash"),
  found: text("found", { enum: ["exact", "moved", "reworded", "lost"] }),
  lastSequence: integer("last_sequence").notNull().default(sql`0`),
  source: text("source").notNull().generatedAlwaysAs(sql``),
});

export const usage = pgTable("usage", {
  sessionId: uuid("session_id").notNull(),
  day: date("day").notNull(),
  peerId: uuid("peer_id").notNull(),
  task: integer("task").notNull(),
  model: text("model").notNull(),
  source: text("source", { enum: ["agent", "job"] }).notNull(),
  reports: integer("reports").notNull(),
  inputTokens: count("input_tokens").notNull(),
  outputTokens: count("output_tokens").notNull(),
  cacheReadTokens: count("cache_read_tokens").notNull(),
  cacheWriteTokens: count("cache_write_tokens").notNull(),
  costMicros: count("cost_micros").notNull(),
  costedReports: integer("costed_reports").notNull(),
});

export const verificationCodes = pgTable("verification_codes", {
  secretHash: bytea("secret_hash").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

export const witnessPolicies = pgTable("witness_policies", {
  meshId: uuid("mesh_id").notNull(),
  least: integer("least").notNull(),
  witnesses: text("witnesses").notNull(),
});
