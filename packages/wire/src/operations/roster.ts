import * as z from "zod";
import { limits } from "../core/limits.js";
import {
  asTeam,
  GroupAndRole,
  inSession,
  lineOfChars,
  PeerCredential,
  PeerName,
  RoleName,
  retryable,
  Sequence,
  StorableText,
  TeamCredential,
  TeamKind,
  TeamName,
  Timestamp,
  Uuid,
} from "../core/values.js";
import { formatKeptFields, formatMessageTime } from "../feed/compact.js";
import { KeyCard } from "../identity/key-card.js";
import { OwnLaunch } from "../identity/own-signature.js";
import { formatInlineAddress, formatInlineName, joinLines } from "../text/neutralise.js";
import { operation } from "./core-operation.js";
import { Capabilities, Declared, SessionKey, Summary, WakePreference } from "./peers.js";

/**
 * A team in the roster. `status` is derived and never declared (ROSTER-4). A team is active while it polls or
 * within 10 s of a call, idle while it is connected or within 60 s of a call, and otherwise disconnected. A
 * team that has left is disconnected.
 */
export const Participant = z
  .object({
    team_id: Uuid,
    team_name: z.string(),
    kind: TeamKind,
    colour: z.int().meta({ description: "0 for the first team that joined, 1 for the next, and so on." }),
    person_id: Uuid.nullable().meta({ description: "Whose team it is, when it is a human's." }),
    convener: z.boolean(),
    joined_at: Timestamp,
    last_seen_at: Timestamp,
    left_at: Timestamp.nullable(),
    status: z.enum(["active", "idle", "disconnected"]),
    declared: Declared.nullable().meta({
      description: "Status that it, or a connected peer of it, declared: blocked before dnd, otherwise null.",
    }),
    polling: z.boolean().meta({ description: "Whether a wait of this team is blocked at this moment." }),
    connections: z
      .int()
      .meta({ description: "Open WebSocket connections that follow the session as this team." }),
    last_read: Sequence.meta({ description: "What the team has acknowledged." }),
    peers: z.int().meta({ description: "Number of its connected named peers." }),
    folded: z.boolean(),
  })
  .meta({ id: "Participant" });

export type Participant = z.output<typeof Participant>;

function compactRoster(participants: readonly Participant[]): string[] {
  return participants.map(
    (team) =>
      `- ${formatInlineName(team.team_name)} ${team.left_at ? "left" : team.status}${team.declared ? ` (${team.declared.status})` : ""}, seen ${formatMessageTime(team.last_seen_at)}`,
  );
}

/** Converts a key from base64 to base64url. */
function toUnpaddedBase64url(key: string | undefined): string | undefined {
  return key?.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export const joinSession = operation("join_session", {
  summary: "Join a session as your team, and stay until it ends or you leave_session.",
  unlisted: ["key_card", "own_words", "passcode"],
  // The stdio server fills in the facts about the machine and client, and agents set their summary with
  // `set_summary`.
  unlistedOverStdio: ["capabilities", "cwd", "machine", "session_key", "summary", "wake"],
  input: z
    .strictObject({
      ...inSession,
      team_name: TeamName.meta({ description: "Your team's name; a taken name gets a number." }),
      replay_from: Sequence.optional().meta({
        description: "Start after this message; 0 for all.",
      }),
      peer_name: PeerName.optional().meta({
        description: "Your name within the team, if it has several agents.",
      }),
      role: RoleName.optional(),
      groups: z.array(GroupAndRole).max(limits.groupsPerPeerMax).optional(),
      summary: Summary.optional(),
      wake: WakePreference.optional(),
      capabilities: Capabilities.optional(),
      cwd: StorableText.max(1_000).optional(),
      machine: lineOfChars(limits.nameCharsMax).optional(),
      session_key: SessionKey.optional(),
      key_card: KeyCard.optional().meta({
        description: "The keys for private messages to you; its session_key is yours.",
      }),
      own_words: OwnLaunch.nullable().optional().meta({
        description: "Devices whose text counts as your user's words; null removes them.",
      }),
      passcode: StorableText.refine((text) => text.trim() === "", {
        error:
          "sessions have no passcode: leave it out. If only members can connect, join with an invite (merkle join)",
      })
        .optional()
        .meta({ description: "For agents used to other systems: sessions have no passcode." }),
      team_id: TeamCredential.optional().meta({
        description:
          "Your team's credential, to resume it without joining again, or to add a peer; a peer's credential, to resume the peer.",
      }),
      ...retryable,
    })
    .refine(
      ({ key_card, session_key }) =>
        key_card === undefined || key_card.session_key === toUnpaddedBase64url(session_key),
      {
        error: "must be the card of session_key, which is required with it",
        path: ["key_card"],
      },
    ),
  output: z.object({
    session_id: Uuid,
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    team_id: TeamCredential,
    team_name: z.string(),
    peer_id: PeerCredential.nullable().meta({
      description: "With peer_name: the peer's credential; pass it as team_id from now on.",
    }),
    peer_name: z.string().nullable(),
    resumed: z.boolean(),
    cursor: Sequence,
    document_version: z.int(),
    participants: z.array(Participant),
  }),
  errors: ["unauthorized", "session_closed", "not_found", "conflict"],
  compact: (joined, rendering) =>
    joinLines(
      `${joined.resumed ? "resumed" : "joined"} ${joined.slug} as ${formatInlineAddress(joined.team_name, joined.peer_name)}.${formatKeptFields(joined, rendering)}`,
      rendering.credentialHolder === "caller" &&
        !rendering.remembered &&
        joined.peer_id &&
        `peer_id ${joined.peer_id}: pass it as team_id`,
      `title: ${joined.title}`,
      joined.description && `description: ${joined.description}`,
      ...compactRoster(joined.participants),
    ),
});

export const leaveSession = operation("leave_session", {
  summary: "Leave the session when your part is done. Others are notified.",
  input: z.strictObject({ ...inSession, ...asTeam, ...retryable }),
  output: z.object({ session_id: Uuid, team_id: Uuid, left_at: Timestamp }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: (left) => `left ${formatMessageTime(left.left_at)}`,
});

export const listParticipants = operation("list_participants", {
  summary: "See who is in the session: each team's status, and when it was last seen.",
  // Not listed over stdio, because agents use `list_peers`, which includes the teams.
  unlistedOverStdio: true,
  input: z.strictObject({
    ...inSession,
    include_folded: z
      .boolean()
      .default(false)
      .meta({ description: "Include teams that never posted or polled." }),
    ...asTeam,
  }),
  output: z.object({ participants: z.array(Participant), folded: z.int() }),
  errors: ["unauthorized", "not_found"],
  compact: ({ participants, folded }) =>
    joinLines(...compactRoster(participants), folded > 0 && `${folded} more never posted or polled`),
});

export const rotateTeamCredential = operation("rotate_team_credential", {
  summary: "Replace your team's credential, for instance after it leaked. The old one ends immediately.",
  // Not listed over stdio, because the stdio server maintains the credential.
  unlistedOverStdio: true,
  input: z.strictObject({ ...inSession, ...asTeam, ...retryable }),
  output: z.object({ session_id: Uuid, team_id: TeamCredential }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found"],
  compact: (rotated, { credentialHolder, remembered }) =>
    credentialHolder === "caller" && !remembered
      ? `team_id ${rotated.team_id}`
      : "the credential was replaced",
});
