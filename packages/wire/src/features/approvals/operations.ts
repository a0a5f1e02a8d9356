import * as z from "zod";
import { limits } from "../../core/limits.js";
import {
  asTeam,
  inSession,
  lineOfChars,
  Reason,
  retryable,
  StorableText,
  Timestamp,
  textOfBytes,
  Uuid,
} from "../../core/values.js";
import { OwnSignature } from "../../identity/own-signature.js";
import { describeOperations } from "../../operations/operation.js";
import { formatApproval } from "../../text/approval-text.js";
import { formatInlineName, joinLines } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

const ApprovalNumber = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)
  .meta({ description: "The approval's number in its mesh." });

const hexOf = (digits: number) =>
  z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`), { error: `must be ${digits} hexadecimal digits` });
const Hash = hexOf(64);
const Device = hexOf(32).meta({
  description: "A credential of the person that can answer, by its ID on the Approvals page.",
});

/**
 * `left`: the person leaves the decision to the agent's terminal. `withdrawn`: the request was answered in
 * the terminal. `lapsed`: the agent has stopped waiting.
 */
export const ApprovalState = z.enum(["waiting", "allowed", "denied", "left", "withdrawn", "lapsed"]);
export type ApprovalState = z.output<typeof ApprovalState>;

const Answers = z
  .array(z.string())
  .meta({ description: "The answers to the agent's questions, in the order of its questions." });

/** A permission request from an agent to the person who runs it (APPROVE-1). */
export const Approval = z
  .object({
    approval: ApprovalNumber,
    session_id: Uuid,
    session: z.string().meta({ description: "Its slug." }),
    asked_by: z.string(),
    tool: z.string(),
    input: z.string().meta({ description: "The tool's input as JSON, byte for byte." }),
    folder: z.string(),
    salt: z.string(),
    hash: z.string().meta({ description: "Hash of the whole input, as in the feed." }),
    state: ApprovalState,
    words: z.string().nullable(),
    answers: Answers.nullable(),
    repeatable: z
      .boolean()
      .meta({ description: "Whether its command may be allowed for the agent's launch." }),
    again: z.boolean().meta({ description: "Whether its command is allowed while the agent's launch runs." }),
    allowed_by: ApprovalNumber.nullable().meta({
      description: "The earlier approval that allowed this one.",
    }),
    asked_at: Timestamp,
    expires_at: Timestamp,
    ended_at: Timestamp.nullable(),
  })
  .meta({ id: "Approval" });
export type Approval = z.output<typeof Approval>;

export const askApproval = operation("ask_approval", {
  summary: "Ask the agent's own person for a permission; called by the hook of its client.",
  unlisted: true,
  input: z.strictObject({
    ...inSession,
    devices: z.array(Device).min(1).max(limits.approvalDevicesMax),
    tool: lineOfChars(200),
    input: textOfBytes(limits.approvalInputBytesMax),
    folder: StorableText.min(1).max(limits.approvalFolderCharsMax),
    salt: Hash.meta({ description: "32 random bytes in hexadecimal, valid for one request." }),
    launch: Hash.optional().meta({
      description:
        "If the tool runs its command in a shell: 32 random bytes that identify the agent's launch.",
    }),
    ...asTeam,
    ...retryable,
  }),
  output: z.object({
    approval: ApprovalNumber,
    hash: z.string(),
    person: z.string().meta({ description: "Who is asked." }),
    expires_at: Timestamp.meta({ description: "When it lapses, unless a call waits for its answer." }),
  }),
  errors: ["unauthorized", "forbidden", "session_closed", "not_found", "conflict"],
  compact: ({ approval, person }) => `approval ${approval} asked of ${formatInlineName(person)}`,
});

const ofPeer = { ...inSession, approval: ApprovalNumber, ...asTeam };

export const waitForApproval = operation("wait_for_approval", {
  summary: "Wait for the answer to your ask_approval; it does not lapse while you wait.",
  unlisted: true,
  input: z.strictObject({
    ...ofPeer,
    timeout: z.number().min(0).max(limits.waitSecondsMax).default(limits.waitSecondsMax),
  }),
  output: z.object({
    state: ApprovalState,
    words: z.string().nullable(),
    answers: Answers.nullable(),
    own: OwnSignature.nullable().meta({ description: "A device's signature of the answers." }),
    hash: z.string(),
  }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ state }) => state,
});

export const withdrawApproval = operation("withdraw_approval", {
  summary: "Withdraw your ask_approval because the client's own prompt was answered.",
  unlisted: true,
  input: z.strictObject({ ...ofPeer, ...retryable }),
  output: z.object({ state: ApprovalState }),
  errors: ["unauthorized", "forbidden", "not_found"],
  compact: ({ state }) => state,
});

export const listApprovals = operation("list_approvals", {
  summary: "List pending permission requests of your agents for this device, and recent answers.",
  unlisted: true,
  input: z.strictObject({ ...asTeam }),
  output: z.object({
    device: z.string().meta({ description: "Name of the credential that asks." }),
    waiting: z.array(Approval),
    again: z.array(Approval).meta({ description: "Those whose command is allowed while a launch runs." }),
    ended: z.array(Approval).meta({ description: "Newest first." }),
  }),
  errors: ["unauthorized", "forbidden"],
  compact: ({ waiting }) =>
    joinLines(
      ...waiting.map(
        ({ approval, asked_by, tool, input }) =>
          `approval ${approval} ${formatInlineName(asked_by)} ${tool}: ${formatApproval(input).text}`,
      ),
      waiting.length === 0 && "no pending approvals",
    ),
});

export const answerApproval = operation("answer_approval", {
  summary:
    "Allow a permission request of your agent, answer its questions, deny it, leave it to its terminal, or revoke what you allowed for its launch.",
  unlisted: true,
  input: z
    .strictObject({
      approval: ApprovalNumber,
      decision: z.enum(["allow", "deny", "leave", "revoke"]),
      hash: Hash.meta({ description: "Hash of what you were shown; only that is allowed." }),
      again: z.literal(true).optional().meta({
        description:
          "With allow, if it is repeatable: also the same command while this launch of the agent runs.",
      }),
      words: Reason.optional().meta({ description: "With deny: reason shown to the agent." }),
      answers: z
        .array(z.strictObject({ options: z.array(z.string()), text: Reason.optional() }))
        .optional()
        .meta({
          description:
            "With allow, if the agent asks questions: for each, the labels of the chosen options, and the person's own text.",
        }),
      own: OwnSignature.optional().meta({ description: "With answers: your device's signature of them." }),
      ...asTeam,
      ...retryable,
    })
    .refine(({ decision, words }) => words === undefined || decision === "deny", {
      error: "is only allowed with deny",
      path: ["words"],
    })
    .refine(({ decision, again }) => again === undefined || decision === "allow", {
      error: "is only allowed with allow",
      path: ["again"],
    })
    .refine(({ decision, answers }) => answers === undefined || decision === "allow", {
      error: "is only allowed with allow",
      path: ["answers"],
    })
    .refine(({ answers, own }) => own === undefined || answers !== undefined, {
      error: "is only allowed with answers",
      path: ["own"],
    }),
  output: z.object({ approval: ApprovalNumber, state: ApprovalState }),
  errors: ["unauthorized", "forbidden", "not_found", "conflict"],
  compact: ({ approval, state }) => `approval ${approval} ${state}`,
});
