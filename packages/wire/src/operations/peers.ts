import * as z from "zod";
import { limits } from "../core/limits.js";
import {
  asTeam,
  GroupName,
  inSession,
  JoinedGroup,
  lineOfChars,
  Reason,
  RoleName,
  retryable,
  Sequence,
  StorableText,
  TeamKind,
  Timestamp,
  Uuid,
} from "../core/values.js";
import { formatMessageTime } from "../feed/compact.js";
import { KeyCard } from "../identity/key-card.js";
import { OwnLaunch } from "../identity/own-signature.js";
import { formatInlineAddress, formatInlineName, joinLines, quoteText } from "../text/neutralise.js";
import { beyondWakingText, isBeyondWaking } from "../text/wake-reach.js";
import { operation } from "./core-operation.js";

/**
 * The ways in which a client can be made to read its messages. All of them are optional, and the broker
 * relies on none alone (WAKE-1).
 */
export const WakePath = z.enum(["inbox", "hooks", "wait", "channel"]);
export type WakePath = z.output<typeof WakePath>;

/** Facts that a client reports about itself. */
export const Capabilities = z.strictObject({
  client: lineOfChars(limits.nameCharsMax).optional(),
  version: lineOfChars(limits.nameCharsMax).optional(),
  model: lineOfChars(limits.nameCharsMax).optional(),
  toolsets: z.array(lineOfChars(limits.nameCharsMax)).max(20).optional(),
  wake: z.array(WakePath).max(4).optional(),
});
export type Capabilities = z.output<typeof Capabilities>;

/** Public part of an ed25519 key (RFC 8032), in base64. The key is generated when an agent is launched. */
export const SessionKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/, { error: "must be the 32 bytes of an ed25519 public key in base64" });

export const Summary = StorableText.trim()
  .max(limits.summaryCharsMax)
  .meta({ description: "Empty removes it." });

export const DeclaredStatus = z.enum(["idle", "working", "dnd", "blocked"]);
export type DeclaredStatus = z.output<typeof DeclaredStatus>;

export const Declared = z.object({
  status: DeclaredStatus,
  reason: z.string().nullable(),
  at: Timestamp,
});

/** What nudges a peer while it is idle (DELIVER-4). */
export const WakePreference = z.enum(["everything", "addressed"]);
export type WakePreference = z.output<typeof WakePreference>;

export const GroupMembership = z.object({ name: z.string(), role: z.string().nullable() });
export type GroupMembership = z.output<typeof GroupMembership>;

/**
 * A peer as listed by `list_peers` (PEER-8). `presence` is derived from the peer's activity, like the status
 * of a team (ROSTER-4). `declared` is the status that the peer or its client's hooks reported. `status`
 * combines the two.
 */
export const Peer = z
  .object({
    peer_id: Uuid,
    team_id: Uuid,
    team: z.string(),
    name: z.string().nullable().meta({ description: "Null for a team's unnamed peer." }),
    kind: TeamKind,
    role: z.string().nullable(),
    groups: z.array(GroupMembership),
    status: z
      .enum([...DeclaredStatus.options, "disconnected"])
      .meta({ description: "The declared one, idle by default; disconnected while it is away." }),
    presence: z.enum(["active", "idle", "disconnected"]).meta({ description: "What the broker observed." }),
    declared: Declared.nullable(),
    summary: z.string().meta({ description: "What it is doing; empty if it reported nothing." }),
    summary_at: Timestamp.nullable(),
    wake: WakePreference.meta({
      description: "What nudges it while idle: also agents' chat to everyone, or only what is addressed.",
    }),
    capabilities: Capabilities.nullable(),
    cwd: z.string().nullable(),
    machine: z.string().nullable(),
    session_key: z.string().nullable(),
    key_card: KeyCard.nullable().meta({ description: "Key that encrypts private messages to it." }),
    own_words: OwnLaunch.optional(),
    joined_at: Timestamp,
    last_seen_at: Timestamp,
    last_polled_at: Timestamp.nullable(),
    left_at: Timestamp.nullable(),
    polling: z.boolean(),
    connected: z.boolean().meta({ description: "Whether it is connected now." }),
    last_read: Sequence,
    task: z
      .object({ task: z.int(), title: z.string(), since: Timestamp })
      .nullable()
      .optional()
      .meta({ description: "The task that it last claimed and works on." }),
  })
  .meta({ id: "Peer" });
export type Peer = z.output<typeof Peer>;

/**
 * Formats a peer in one line: its name, the facts that it reported, its groups, and when it was last seen.
 */
function compactPeer(peer: Peer): string {
  const { declared, summary, task } = peer;
  const wake = peer.left_at || peer.presence === "disconnected" ? [] : (peer.capabilities?.wake ?? []);
  const groups = peer.groups
    .map(({ name, role }) => formatInlineName(`@${name}`) + (role ? `:${formatInlineName(role)}` : ""))
    .join(" ");
  const facts = [
    peer.kind === "agent" ? "" : `(${peer.kind})`,
    peer.role ? `role ${formatInlineName(peer.role)}` : "",
    groups,
    peer.left_at ? "left" : peer.presence,
    declared ? `${declared.status}${declared.reason ? ` ${quoteText(declared.reason)}` : ""}` : "",
    peer.wake === "addressed" ? "wake addressed" : "",
    isBeyondWaking(wake, declared?.status) ? beyondWakingText : "",
    task ? `task ${task.task} ${quoteText(task.title)} since ${formatMessageTime(task.since)}` : "",
    `seen ${formatMessageTime(peer.last_seen_at)}`,
  ].filter((fact) => fact !== "");
  return `- ${formatInlineAddress(peer.team, peer.name)}, ${facts.join(", ")}${summary && `: ${summary}`}`;
}

/**
 * Converts the output for clients older than build 9, which expect the observed presence in `status`, and a
 * `summary` that includes its time.
 */
function toOlderPeers({ peers }: { readonly peers: readonly Peer[] }): object {
  return {
    peers: peers.map(({ presence, summary, summary_at: at, ...peer }) => ({
      ...peer,
      status: presence,
      summary: at && { text: summary, at },
    })),
  };
}

const OlderPeers = z.object({
  peers: z.array(
    z.looseObject({
      status: Peer.shape.presence,
      declared: Declared.nullable(),
      summary: z.object({ text: z.string(), at: Timestamp }).nullable(),
    }),
  ),
});

function fromOlderPeers(older: unknown): unknown {
  const parsed = OlderPeers.safeParse(older);
  if (!parsed.success) return older;
  return {
    peers: parsed.data.peers.map(({ status: presence, declared, summary, ...peer }) => ({
      ...peer,
      status: presence === "disconnected" ? presence : (declared?.status ?? "idle"),
      presence,
      declared,
      summary: summary?.text ?? "",
      summary_at: summary?.at ?? null,
    })),
  };
}

export const listPeers = operation("list_peers", {
  summary: "See who is in the session: each peer's team, role, groups, status and what it is doing.",
  unlistedOverStdio: ["include_left"],
  input: z.strictObject({
    ...inSession,
    group: GroupName.optional().meta({ description: "Only its members." }),
    include_left: z.boolean().default(false).meta({ description: "Include peers that have left." }),
    ...asTeam,
  }),
  output: z.object({ peers: z.array(Peer) }),
  older: { below: 9, toOutput: toOlderPeers, fromOutput: fromOlderPeers },
  errors: ["unauthorized", "not_found"],
  compact: ({ peers }) => joinLines(...peers.map(compactPeer), peers.length === 0 && "nobody"),
});

export const setSummary = operation("set_summary", {
  summary: "Set a one-sentence summary of what you are doing, when it changes; list_peers shows it.",
  loadedUpfront: true,
  input: z.strictObject({ ...inSession, summary: Summary, ...asTeam, ...retryable }),
  output: z.object({ summary: z.string(), at: Timestamp }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: () => "noted",
});

export const setStatus = operation("set_status", {
  summary:
    "Declare yourself blocked (with the reason), dnd (only messages of priority now wake you), or free again. Working and idle are set automatically.",
  unlistedOverStdio: ["automatic"],
  input: z
    .strictObject({
      ...inSession,
      status: DeclaredStatus,
      reason: Reason.optional().meta({ description: "Required for blocked: what you need." }),
      automatic: z.boolean().default(false).meta({
        description: "Observed, not declared: it replaces only idle and working.",
      }),
      ...asTeam,
      ...retryable,
    })
    .refine((input) => input.status !== "blocked" || input.reason !== undefined, {
      error: "blocked needs a reason: what do you need, and from whom",
    }),
  output: z.object({ declared: Declared }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ declared }) => declared.status,
});

export const setWake = operation("set_wake", {
  summary:
    "Choose what wakes you while you are idle: everything (default), or not agents' chat to everyone (addressed).",
  unlistedOverStdio: true,
  input: z.strictObject({
    ...inSession,
    wake: WakePreference,
    peer_id: Uuid.optional().meta({
      description: "For humans: the agent, by its peer_id from list_peers.",
    }),
    ...asTeam,
    ...retryable,
  }),
  output: z.object({ wake: WakePreference }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ wake }) => `wake ${wake}`,
});

export const joinGroup = operation("join_group", {
  summary: "Receive messages to @group from now on. `backend/db` is part of `backend`.",
  input: z.strictObject({
    ...inSession,
    name: JoinedGroup,
    role: RoleName.optional(),
    ...asTeam,
    ...retryable,
  }),
  output: z.object({ groups: z.array(GroupMembership) }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: compactGroups,
});

export const leaveGroup = operation("leave_group", {
  summary: "Stop receiving messages to @group.",
  input: z.strictObject({ ...inSession, name: GroupName, ...asTeam, ...retryable }),
  output: z.object({ groups: z.array(GroupMembership) }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found"],
  compact: compactGroups,
});

function compactGroups({ groups }: { groups: readonly GroupMembership[] }): string {
  return groups.length === 0
    ? "in no group"
    : `in ${groups.map(({ name }) => formatInlineName(`@${name}`)).join(" ")}`;
}
