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
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";

/** The tables as queries see them. `migrations/` makes them and gives the reasons; a test compares the two. */

const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => "bytea" });
const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: "date" });
const count = (name: string) => bigint(name, { mode: "number" });

export const meshes = pgTable("meshes", {
  meshId: uuid("mesh_id").primaryKey(),
  name: text("name").notNull().unique(),
  createdAt: instant("created_at").notNull().defaultNow(),
});

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
});

export const teams = pgTable(
  "teams",
  {
    sessionId: uuid("session_id").notNull(),
    teamId: uuid("team_id").notNull(),
    name: text("name").notNull(),
    kind: text("kind", { enum: ["agent", "human"] })
      .notNull()
      .default("agent"),
    secretHash: bytea("secret_hash"),
    personId: uuid("person_id"),
    joinedAt: instant("joined_at").notNull(),
    leftAt: instant("left_at"),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.teamId] }),
    uniqueIndex("teams_by_name").on(table.sessionId, sql`lower(${table.name})`),
    uniqueIndex("teams_by_person")
      .on(table.sessionId, table.personId)
      .where(sql`${table.personId} IS NOT NULL`),
    index("teams_by_id").on(table.teamId),
  ],
);

export const persons = pgTable(
  "persons",
  {
    meshId: uuid("mesh_id").notNull(),
    personId: uuid("person_id").notNull(),
    name: text("name").notNull(),
    secretHash: bytea("secret_hash").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.meshId, table.personId] })],
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
    documentVersion: integer("document_version").notNull().default(0),
    idlePolls: integer("idle_polls").notNull().default(0),
    lastSeenAt: instant("last_seen_at"),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.peerId] }),
    unique().on(table.sessionId, table.teamId, table.name).nullsNotDistinct(),
    foreignKey({ columns: [table.sessionId, table.teamId], foreignColumns: [teams.sessionId, teams.teamId] }),
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
    salt: bytea("salt").notNull(),
    postedAt: instant("posted_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.sequence] }),
    unique().on(table.sessionId, table.id),
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
    content: text("content").notNull(),
    writtenByTeamId: uuid("written_by_team_id").notNull(),
    writtenBy: text("written_by").notNull(),
    writtenAt: instant("written_at").notNull(),
    afterSequence: count("after_sequence").notNull(),
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
