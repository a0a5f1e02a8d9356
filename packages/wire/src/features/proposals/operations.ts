import * as z from "zod";
import { limits } from "../../core/limits.js";
import {
  asTeam,
  DocumentText,
  retryable,
  SessionRef,
  SourcePath,
  StorableText,
  Timestamp,
  Uuid,
  Version,
} from "../../core/values.js";
import { formatMessageTime } from "../../feed/compact.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineName, joinLines, neutralise } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

const numbered = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

const ProposalId = numbered.meta({ description: "The proposal's number in its mesh." });
const TopicId = numbered.meta({ description: "The topic's number in its mesh." });

/** The hash by which Git identifies a file's content. */
const BlobSha = z
  .string()
  .regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, { error: "must be the hash of a Git blob, in hexadecimal" })
  .meta({ description: "For a file: the Git hash of its content." });

export const ProposalStatus = z.enum(["open", "accepted", "rejected", "returned", "replaced"]).meta({
  description:
    "returned: changes were asked for, and an agent works on them. replaced: a newer revision took its place.",
});
export type ProposalStatus = z.output<typeof ProposalStatus>;

/** The complete new text of a document, a file or the Conclusion, which a person accepts or rejects. */
export const Proposal = z
  .object({
    proposal_id: ProposalId,
    kind: z
      .enum(["rewrite", "conclusion"])
      .meta({ description: "A rewrite answers a topic; a conclusion is the text of the Conclusion." }),
    session_id: Uuid.nullable(),
    session: z.string().nullable().meta({ description: "That session's slug." }),
    source_path: z.string().nullable().meta({ description: "For a file: its root, a slash and its path." }),
    topic_id: TopicId.nullable().meta({ description: "For a rewrite: the topic that it answers." }),
    revision: z
      .int()
      .meta({ description: "Number of the revision in its topic; for a conclusion, in its session." }),
    base_version: Version.nullable().meta({
      description: "For a document: the version that it is based on.",
    }),
    base_sha: BlobSha.nullable().meta({ description: "For a file: the content that it is based on." }),
    stale: z.boolean().meta({
      description: "Whether it is open but its base is not the newest: rebase it and review it again.",
    }),
    added: z.int().meta({ description: "How many lines it adds to its base." }),
    removed: z.int().meta({ description: "How many lines of its base it removes." }),
    note: z.string().meta({ description: "Note of its author; can be empty." }),
    proposed_by: z.string().nullable().meta({ description: "Who proposes it; null for an agent of a job." }),
    job_id: z.int().nullable().meta({ description: "The job that made it." }),
    proposed_at: Timestamp,
    status: ProposalStatus,
    unanswered: z.boolean().meta({
      description: "Whether it has been open for longer than the broker's `unanswered_after_s`.",
    }),
    decided_by: z.string().nullable(),
    decided_at: Timestamp.nullable(),
    remark: z.string().nullable().meta({ description: "The reason for the rejection or return." }),
    accepted_version: Version.nullable().meta({ description: "The document's version that it became." }),
    accepted_commit: z.string().nullable().meta({ description: "For a file: the commit that it became." }),
  })
  .meta({ id: "Proposal" });
export type Proposal = z.output<typeof Proposal>;

/**
 * One of the changes that a proposal makes. Lines include their line breaks, so joining the lines gives the
 * text.
 */
export const Hunk = z
  .object({
    id: z.string().meta({ description: "Id of this change for decide_proposal." }),
    section: z.string().meta({ description: "The heading above it with its number signs; may be empty." }),
    old_start: z.int().meta({ description: "Line number, from 1, where the change begins or is inserted." }),
    old_lines: z.array(z.string()).meta({ description: "Removed text." }),
    new_lines: z.array(z.string()).meta({ description: "Added text." }),
  })
  .meta({ id: "Hunk" });
export type Hunk = z.output<typeof Hunk>;

/** A proposal with its complete text and its changes. */
export const ProposalInFull = Proposal.extend({
  content: z
    .string()
    .nullable()
    .meta({ description: "The whole proposed text; null if it was removed with its base." }),
  current_version: Version.nullable().meta({ description: "For a document: its newest version." }),
  current_sha: BlobSha.nullable().meta({ description: "For a file: its current content." }),
  hunks: z.array(Hunk).meta({
    description:
      "For an open proposal: its changes to the current text. For any other: its changes to its base. For a conclusion the text is the Conclusion, not the document.",
  }),
  left: z.array(Hunk).meta({
    description:
      "For a rewrite that was accepted in part or edited: what was left out, compared with the resulting text.",
  }),
}).meta({ id: "ProposalInFull" });
export type ProposalInFull = z.output<typeof ProposalInFull>;

export const insertProposal = operation("insert_proposal", {
  summary:
    "Propose a whole new text for a topic's source, or (with session_id) a text of the session's Conclusion. Nothing changes until a person accepts it.",
  input: z
    .strictObject({
      topic_id: TopicId.optional(),
      session_id: SessionRef.optional().meta({ description: "For a conclusion, instead of topic_id." }),
      base_version: Version.optional().meta({ description: "The document's version that you worked from." }),
      base_sha: BlobSha.optional(),
      content: DocumentText.meta({ description: "The whole new text." }),
      note: StorableText.max(limits.proposalNoteCharsMax)
        .default("")
        .meta({ description: "What you changed and why, for the person who decides." }),
      ...asTeam,
      ...retryable,
    })
    .refine(({ topic_id, session_id }) => (topic_id === undefined) !== (session_id === undefined), {
      error: "name topic_id, or for a conclusion session_id, and not both",
      path: ["topic_id"],
    })
    .refine(({ base_version, base_sha }) => (base_version === undefined) !== (base_sha === undefined), {
      error: "name base_version for a document, base_sha for a file, and not both",
      path: ["base_version"],
    }),
  output: z.object({ proposal_id: ProposalId, revision: z.int() }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ proposal_id, revision }) =>
    `proposal ${proposal_id}, revision ${revision}; a person decides about it`,
});

export const listProposals = operation("list_proposals", {
  summary: "List proposals of a session, of a file, of a topic or of the mesh, newest first.",
  unlisted: true,
  input: z.strictObject({
    session_id: SessionRef.optional(),
    source_path: SourcePath.optional().meta({ description: "Only proposals for this file." }),
    topic_id: TopicId.optional(),
    status: ProposalStatus.optional().meta({ description: "Only those of this status." }),
    before: ProposalId.optional().meta({ description: "Only older ones: the last proposal_id of a page." }),
    limit: z.int().min(1).max(limits.proposalsPageMax).default(limits.proposalsPageDefault),
    ...asTeam,
  }),
  output: z.object({ proposals: z.array(Proposal), has_more: z.boolean() }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ proposals, has_more }) =>
    joinLines(
      ...proposals.map(compactProposal),
      proposals.length === 0 && "no proposals",
      has_more && `more: before ${proposals.at(-1)?.proposal_id}`,
    ),
});

export const getProposal = operation("get_proposal", {
  summary: "Read a proposal: its text, and its changes to the current text.",
  unlisted: true,
  input: z.strictObject({ proposal_id: ProposalId, ...asTeam }),
  output: ProposalInFull,
  errors: ["unauthorized", "forbidden", "not_found"],
  verbatim: ["content"],
  compact: (proposal) => {
    const facts = [compactProposal(proposal)];
    if (proposal.note !== "") facts.push(`note: ${proposal.note}`);
    if (proposal.content === null) return joinLines(...facts, "its text was removed");
    return joinLines(...facts, `its text, from the next line to the end:\n${neutralise(proposal.content)}`);
  },
});

export const Decision = z.enum(["accept", "reject", "return", "rebase"]).meta({
  description:
    "accept makes it the next version; return asks the agent for changes; rebase makes a new revision of it on the newest text.",
});

export const decideProposal = operation("decide_proposal", {
  summary:
    "Decide about a proposal, as a person: accept it whole, in part or edited, reject, return or rebase it.",
  unlisted: true,
  input: z
    .strictObject({
      proposal_id: ProposalId,
      decision: Decision,
      base: z
        .union([Version, BlobSha])
        .optional()
        .meta({ description: "With accept: the document version or file hash that you have seen." }),
      hunks: z
        .array(StorableText.min(1).max(64))
        .min(1, { error: "must contain at least one; to accept nothing, reject the proposal" })
        .max(limits.hunksChosenMax)
        .optional()
        .meta({ description: "With accept: only these changes (default: all)." }),
      content: DocumentText.optional().meta({ description: "With accept: this edited text instead." }),
      remark: StorableText.trim()
        .min(1)
        .max(limits.proposalNoteCharsMax)
        .optional()
        .meta({ description: "With return: what to change (required). With reject: the reason." }),
      ...asTeam,
      ...retryable,
    })
    .refine(({ decision, base }) => decision !== "accept" || base !== undefined, {
      error: "is required with accept, so that exactly what you have seen is written",
      path: ["base"],
    })
    .refine(({ decision, hunks, content }) => decision === "accept" || (!hunks && content === undefined), {
      error: "is only allowed with accept",
      path: ["hunks"],
    })
    .refine(({ hunks, content }) => !hunks || content === undefined, {
      error: "give hunks or content, not both",
      path: ["hunks"],
    })
    .refine(({ decision, remark }) => decision !== "return" || remark !== undefined, {
      error: "is required with return: the agent has to know what to change",
      path: ["remark"],
    })
    .refine(
      ({ decision, remark }) => remark === undefined || decision === "return" || decision === "reject",
      {
        error: "is only allowed with return or reject",
        path: ["remark"],
      },
    ),
  output: z.object({
    proposal_id: ProposalId,
    status: ProposalStatus,
    version: Version.nullable().meta({ description: "Accepted: the document's new version." }),
    commit: z.string().nullable().meta({ description: "Accepted, of a file: the commit." }),
    job_id: z.int().nullable().meta({ description: "Returned: the job that works on it." }),
    next_proposal_id: z.int().nullable().meta({ description: "Rebased: the new revision." }),
    conflicts: z.int().meta({
      description: "Rebased: number of places where both had changed and the newest text was kept.",
    }),
  }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ proposal_id, status, version, job_id, next_proposal_id }) =>
    [
      `proposal ${proposal_id} ${status}`,
      version !== null && `document v${version}`,
      job_id !== null && `job ${job_id} works on it`,
      next_proposal_id !== null && `now proposal ${next_proposal_id}`,
    ]
      .filter(Boolean)
      .join(", "),
});

function compactProposal(proposal: Proposal): string {
  const { proposal_id, kind, status, session, topic_id, revision, base_version, stale } = proposal;
  const what = [
    kind === "conclusion" ? "the Conclusion" : `topic ${topic_id}`,
    session !== null && `of ${session}`,
    `revision ${revision}`,
    base_version !== null && `based on v${base_version}`,
    stale && "stale",
    `+${proposal.added} -${proposal.removed}`,
  ];
  const decided =
    proposal.decided_by === null || proposal.decided_at === null
      ? ""
      : `, by ${formatInlineName(proposal.decided_by)} ${formatMessageTime(proposal.decided_at)}`;
  return `proposal ${proposal_id} ${status}${decided}: ${what.filter(Boolean).join(", ")}`;
}
