import * as z from "zod";
import { asTeam, inSession, lineOfChars, retryable, SessionRef, Timestamp, Uuid } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { formatInlineAddress, joinLines, quoteText } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

const Lines = z.int().min(0).max(1_000_000_000);
const branchCharsMax = 250;

const checkout = {
  repository: lineOfChars(200).meta({
    description:
      "Address without user names and tokens, such as github.com/acme/app; a folder's name without a remote.",
  }),
  branch: lineOfChars(branchCharsMax).nullable().meta({ description: "Null if no branch is checked out." }),
  worktree: lineOfChars(branchCharsMax).nullable().meta({
    description: "Name of the worktree's folder; null for the main worktree.",
  }),
  base: lineOfChars(branchCharsMax).nullable().meta({
    description: "What the changes are counted from; null for the last commit.",
  }),
  files: Lines.meta({ description: "Files changed since then, new ones included." }),
  added: Lines.meta({ description: "Lines added in them, without files that Git does not track." }),
  removed: Lines,
  pull_request: lineOfChars(300)
    .refine((address) => address.startsWith("https://"), { error: "must begin with https://" })
    .nullable()
    .meta({ description: "Address of its pull or merge request, if the agent named one." }),
};

/** Where an agent works, as its side reports it. */
export const Checkout = z.strictObject(checkout).meta({ id: "Checkout" });
export type Checkout = z.output<typeof Checkout>;

/** The last checkout that a peer reported for a task, or without one. */
export const ReportedCheckout = z
  .object({
    ...checkout,
    session_id: Uuid,
    peer_id: Uuid,
    team: z.string(),
    name: z.string().nullable(),
    task: z.int().nullable().meta({ description: "The task that it held; null for none." }),
    reported_at: Timestamp,
  })
  .meta({ id: "ReportedCheckout" });
export type ReportedCheckout = z.output<typeof ReportedCheckout>;

export const reportCheckout = operation("report_checkout", {
  summary: "Report where you work: repository, branch, and how much changed; Merkle's own clients do it.",
  unlisted: true,
  input: z.strictObject({ ...inSession, checkout: Checkout, ...asTeam, ...retryable }),
  output: z.object({ task: z.int().nullable().meta({ description: "The task that it counts for." }) }),
  errors: ["unauthorized", "not_found"],
  compact: () => "noted",
});

export const listCheckouts = operation("list_checkouts", {
  summary:
    "See where agents work: repository, branch, worktree and how much changed, as their side reports it.",
  unlisted: true,
  input: z.strictObject({
    session_id: SessionRef.optional().meta({ description: "Session (default: all open sessions)." }),
    ...asTeam,
  }),
  output: z.object({
    checkouts: z.array(ReportedCheckout).meta({
      description: "The last of each peer and task, latest first, at most 500.",
    }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ checkouts }) =>
    joinLines(...checkouts.map(compactCheckout), checkouts.length === 0 && "no checkouts reported"),
});

/** Formats a checkout in one line. All text in the line comes from other users. */
function compactCheckout({ team, name, task, ...where }: ReportedCheckout): string {
  const { repository, branch, worktree, files, added, removed, pull_request } = where;
  const facts = [
    quoteText(repository),
    branch !== null && `branch ${quoteText(branch)}`,
    worktree !== null && `worktree ${quoteText(worktree)}`,
    `${files} files +${added} -${removed}`,
    task !== null && `task ${task}`,
    pull_request !== null && quoteText(pull_request),
  ].filter(Boolean);
  return `- ${formatInlineAddress(team, name)}: ${facts.join(", ")}`;
}
