import * as z from "zod";
import { limits } from "../core/limits.js";
import {
  asTeam,
  lineOfChars,
  PersonName,
  Reason,
  retryable,
  SessionRef,
  Timestamp,
  Uuid,
} from "../core/values.js";
import { formatInlineName, joinLines } from "../text/neutralise.js";
import { operation } from "./core-operation.js";

/*
 * No list of tools contains the operations below. People decide who is admitted, on the command line and in
 * the dashboard. Otherwise text that an agent reads could make the agent create an invite.
 */

/** Role of a member. An admin can also create meshes, change settings and revoke other members. */
export const MemberRole = z.enum(["admin", "member"]);
export type MemberRole = z.output<typeof MemberRole>;

/**
 * Number of an invite or token. Meshes have names, and invites and tokens have numbers, so that people can
 * say them aloud.
 */
const Count = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
export const MeshName = lineOfChars(limits.meshNameCharsMax).regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u, {
  error: "must be letters, digits, . _ and -, the first a letter or digit",
});

/** An ed25519 public key: 32 bytes in base64url without padding. */
export const PublicKey = z.string().regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, {
  error: "must be 32 bytes in base64url without padding",
});
/** An ed25519 signature: 64 bytes in base64url without padding. */
export const Signature = z.string().regex(/^[A-Za-z0-9_-]{85}[AQgw]$/, {
  error: "must be 64 bytes in base64url without padding",
});

/** An invite as text: a whole invite link, the secret after its `#`, or a spoken code. */
export const InviteText = lineOfChars(limits.urlCharsMax).meta({
  description: "The invite's link, the part of it after #, or a spoken code such as 31-7KQ2-M4XD.",
});

const Seconds = z.int().min(1);

/** The kinds of quotas that a mesh can have. `sessions` limits the number of open sessions. */
export const QuotaKind = z.enum(["sessions", "messages", "bytes", "connections"]).meta({ id: "QuotaKind" });
export type QuotaKind = z.output<typeof QuotaKind>;

const Quota = z.object({ kind: QuotaKind, max: z.int(), used: z.int() }).meta({
  id: "Quota",
  description: "A limit of a mesh, and its usage as this node last counted it.",
});
export type Quota = z.output<typeof Quota>;

const QuotaMax = z.int().min(0).meta({ description: "0 removes the limit." }).optional();

const Mesh = z.object({
  mesh_id: Uuid,
  name: z.string(),
  created_at: Timestamp,
  role: MemberRole.nullable().meta({ description: "Role of the caller there; null in open mode." }),
  sessions: z.int(),
  members: z.int(),
  quotas: z.array(Quota).meta({ description: "Its limits, if any." }),
  peers_online: z.int().meta({ description: "Agents that were seen there within `disconnected_after_s`." }),
});
export type Mesh = z.output<typeof Mesh>;

export const createMesh = operation("create_mesh", {
  summary:
    "Create a mesh: a workspace on this broker, isolated from the others. Its creator is its first admin.",
  unlisted: true,
  input: z.strictObject({ name: MeshName, ...asTeam, ...retryable }),
  output: z.object({
    mesh_id: Uuid,
    name: z.string(),
    member_id: Uuid.nullable().meta({ description: "Role of its creator there; null in open mode." }),
  }),
  errors: ["unauthorized", "forbidden", "conflict"],
  compact: ({ name }) => `mesh ${formatInlineName(name)} is there`,
});

export const listMeshes = operation("list_meshes", {
  summary: "List the meshes of this broker that you are a member of.",
  unlisted: true,
  input: z.strictObject({}),
  output: z.object({ meshes: z.array(Mesh) }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ meshes }) =>
    joinLines(
      ...meshes.map(
        (mesh) =>
          `- ${formatInlineName(mesh.name)} ${mesh.sessions} sessions, ${mesh.members} members, ${mesh.peers_online} agents online`,
      ),
    ),
});

export const setQuotas = operation("set_quotas", {
  summary: "Limit what a mesh can store. For admins of the broker's main mesh.",
  unlisted: true,
  input: z.strictObject({
    mesh: MeshName,
    sessions: QuotaMax,
    messages: QuotaMax,
    bytes: QuotaMax,
    connections: QuotaMax,
    ...asTeam,
    ...retryable,
  }),
  output: z.object({ mesh: z.string(), quotas: z.array(Quota) }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ mesh, quotas }) =>
    joinLines(
      `quotas of ${formatInlineName(mesh)}:`,
      ...quotas.map(({ kind, max, used }) => `- ${used} of ${max} ${kind}`),
    ),
});

const InviteState = z.enum(["open", "used", "expired", "revoked"]);

const Invite = z.object({
  invite_id: Count,
  state: InviteState,
  role: MemberRole,
  session: z.object({ session_id: Uuid, slug: z.string(), title: z.string() }).nullable(),
  inviter: z.string().meta({ description: "Who created it." }),
  own: z.boolean().meta({ description: "Whether the caller created it." }),
  created_at: Timestamp,
  expires_at: Timestamp,
  uses_max: z.int(),
  uses_left: z.int(),
});
export type Invite = z.output<typeof Invite>;

export const createInvite = operation("create_invite", {
  summary:
    "Create an invite to this mesh, optionally to one session. Anyone with the link can join: share it privately.",
  unlisted: true,
  input: z.strictObject({
    role: MemberRole.default("member").meta({ description: "Only an admin may invite an admin." }),
    session_id: SessionRef.optional(),
    uses: Count.max(limits.inviteUsesMax).default(1),
    expires_in_s: Seconds.max(limits.inviteSecondsMax).default(limits.inviteSeconds),
    code: z.boolean().default(false).meta({
      description: "Also create a spoken code, valid for ten minutes and five wrong tries.",
    }),
    ...retryable,
  }),
  output: Invite.extend({
    link: z.string().meta({ description: "The secret is after the #, where servers never see it." }),
    code: z.string().nullable(),
    code_expires_at: Timestamp.nullable(),
  }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ link, uses_left, expires_at }) => `link ${link}  ${uses_left} uses, until ${expires_at}`,
});

export const previewInvite = operation("preview_invite", {
  summary: "Read what an invite is for: title, inviter, expiry, uses. Does not use it up.",
  unlisted: true,
  input: z.strictObject({ invite: InviteText }),
  output: z.object({
    state: InviteState,
    mesh: z.string(),
    title: z
      .string()
      .nullable()
      .meta({ description: "The session's; null for an invite to the whole mesh." }),
    slug: z.string().nullable(),
    inviter: z.string(),
    role: MemberRole,
    expires_at: Timestamp,
    revoked_at: Timestamp.nullable(),
    uses_left: z.int(),
    broker_id: Uuid,
    mesh_id: Uuid,
    key_pin: z.string().nullable().meta({ description: "As in `get_app_info`." }),
  }),
  errors: ["not_found"],
  compact: ({ state, mesh, title, inviter }) =>
    `${state}: ${formatInlineName(inviter)} invites to ${formatInlineName(title ?? mesh)}`,
});

export const listInvites = operation("list_invites", {
  summary: "List your invites, newest first; admins see all of this mesh.",
  unlisted: true,
  input: z.strictObject({}),
  output: z.object({ invites: z.array(Invite) }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ invites }) =>
    joinLines(
      ...invites.map(
        (each) =>
          `${each.invite_id} ${each.state} ${each.role} ${each.session?.slug ?? "mesh"} by ${formatInlineName(each.inviter)}, ${each.uses_left} uses until ${each.expires_at}`,
      ),
    ),
});

export const revokeInvite = operation("revoke_invite", {
  summary: "Revoke an invite. People who joined with it stay.",
  unlisted: true,
  input: z.strictObject({ invite_id: Count, ...retryable }),
  output: z.object({ invite_id: Count, state: InviteState }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ invite_id, state }) => `invite ${invite_id} is ${state}`,
});

export const redeemInvite = operation("redeem_invite", {
  summary: "Become a member with an invite and your own key. `merkle join` and the join page do this.",
  unlisted: true,
  input: z.strictObject({
    invite: InviteText,
    name: PersonName.meta({ description: "The member's name." }),
    public_key: PublicKey,
    time: Timestamp.meta({ description: "When it was signed; at most five minutes from the broker's time." }),
    signature: Signature.meta({
      description:
        "By that key, over the statement of joining: proves that the caller holds its private half.",
    }),
    ...retryable,
  }),
  output: z.object({
    broker_id: Uuid,
    mesh_id: Uuid,
    mesh: z.string(),
    member_id: Uuid,
    name: z.string(),
    role: MemberRole,
    session: z.object({ session_id: Uuid, slug: z.string(), title: z.string() }).nullable(),
  }),
  errors: ["unauthorized", "forbidden", "not_found", "conflict"],
  compact: ({ name, mesh }) => `member ${formatInlineName(name)} of ${formatInlineName(mesh)}`,
});

const Member = z.object({
  member_id: Uuid,
  name: z.string(),
  role: MemberRole,
  public_key: PublicKey,
  invite_id: Count.nullable().meta({ description: "The invite it joined with." }),
  joined_at: Timestamp,
  vouching: z.enum(["broker", "person", "program", "unknown"]).meta({
    description:
      "How it joined: by an invite of the broker, of a member in person, or of a member's API token. unknown: joined before this was recorded.",
  }),
  invited_by: z
    .object({ member_id: Uuid, name: z.string(), revoked: z.boolean() })
    .nullable()
    .meta({ description: "The member whose invite it joined with." }),
  revoked: z.object({ by: z.string(), at: Timestamp }).nullable(),
  own: z.boolean().meta({ description: "Whether it is the caller." }),
});
export type Member = z.output<typeof Member>;

export const listMembers = operation("list_members", {
  summary: "List the members of this mesh, revoked ones included.",
  unlisted: true,
  input: z.strictObject({}),
  output: z.object({ members: z.array(Member) }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ members }) =>
    joinLines(
      ...members.map(
        ({ name, revoked, role, invited_by, member_id }) =>
          `- ${formatInlineName(name)} ${revoked ? "revoked" : role}${invited_by === null ? "" : ` invited by ${formatInlineName(invited_by.name)}${invited_by.revoked ? " (revoked)" : ""}`} ${member_id}`,
      ),
    ),
});

export const revokeMember = operation("revoke_member", {
  summary:
    "Revoke a member: its tokens, browsers and open connections end within a second. Members it invited stay by default.",
  unlisted: true,
  input: z.strictObject({
    member_id: Uuid,
    with_invited: z.boolean().default(false).meta({
      description: "Also revoke members it invited, directly or indirectly; never the caller.",
    }),
    reason: Reason.optional(),
    ...retryable,
  }),
  output: z.object({
    member_id: Uuid,
    name: z.string(),
    also: z
      .array(z.object({ member_id: Uuid, name: z.string() }))
      .meta({ description: "The other members revoked with it." }),
  }),
  errors: ["unauthorized", "forbidden", "not_found", "conflict"],
  compact: ({ name, also }) =>
    joinLines(
      `member ${formatInlineName(name)} is revoked`,
      ...also.map((each) => `member ${formatInlineName(each.name)} is revoked`),
    ),
});

/**
 * The kinds of tokens that can be issued. `bearer` is for programs. `sign_in` makes a link that signs in one
 * browser.
 */
const IssuedKind = z.enum(["bearer", "sign_in"]);

const Token = z.object({
  token_id: Count,
  kind: z.enum(["bearer", "browser", "sign_in", "observer", "client"]),
  label: z.string().nullable(),
  member: z.string().nullable().meta({ description: "Who it authenticates; null for an observer." }),
  session: z.object({ session_id: Uuid, slug: z.string(), title: z.string() }).nullable(),
  created_at: Timestamp,
  expires_at: Timestamp,
  last_used_at: Timestamp.nullable(),
});
export type Token = z.output<typeof Token>;

export const issueToken = operation("issue_token", {
  summary:
    "Create an API token for programs that act for you in this mesh over REST and MCP, as Authorization: Bearer; or a link that signs in a browser.",
  unlisted: true,
  input: z.strictObject({
    kind: IssuedKind.default("bearer"),
    label: lineOfChars(limits.nameCharsMax)
      .optional()
      .meta({ description: "Description, such as the program that uses it." }),
    expires_in_s: Seconds.max(limits.tokenSecondsMax).optional().meta({
      description: "Lifetime (default: 90 days; sign-in link: ten minutes, at most a day).",
    }),
    ...retryable,
  }),
  output: z.object({
    token_id: Count,
    token: z.string().meta({ description: "Shown once." }),
    link: z.string().nullable().meta({ description: "For a sign-in: open it in the browser." }),
    expires_at: Timestamp,
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ token, link, expires_at }) =>
    `${link === null ? `token ${token}` : `link ${link}`}  until ${expires_at}`,
});

export const listTokens = operation("list_tokens", {
  summary: "List your active tokens, signed-in browsers and observer links; admins see all of this mesh.",
  unlisted: true,
  input: z.strictObject({}),
  output: z.object({ tokens: z.array(Token) }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ tokens }) =>
    joinLines(
      ...tokens.map(
        (each) =>
          `${each.token_id} ${each.kind} ${formatInlineName(each.label ?? each.session?.slug ?? each.member ?? "")} until ${each.expires_at}`,
      ),
    ),
});

export const revokeToken = operation("revoke_token", {
  summary:
    "Revoke a token, a signed-in browser or an observer link and everything it issued; its connections end within a second.",
  unlisted: true,
  input: z.strictObject({ token_id: Count, ...retryable }),
  output: z.object({ token_id: Count }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ token_id }) => `token ${token_id} is revoked`,
});

export const createObserverLink = operation("create_observer_link", {
  summary: "Create a view-only link to one session for someone who is not a member.",
  unlisted: true,
  input: z.strictObject({
    session_id: SessionRef,
    label: lineOfChars(limits.nameCharsMax).optional(),
    expires_in_s: Seconds.max(limits.tokenSecondsMax).default(limits.observerSeconds),
    ...retryable,
  }),
  output: z.object({ token_id: Count, link: z.string(), token: z.string(), expires_at: Timestamp }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ link, expires_at }) => `link ${link}  until ${expires_at}`,
});
