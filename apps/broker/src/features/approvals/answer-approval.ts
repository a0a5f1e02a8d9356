import {
  type ApprovalRow,
  findApproval,
  listApprovalRows,
  listRepeatedApprovals,
  revokeRepeat,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { toDeviceId } from "@merkle/wire/identity";
import { limits } from "@merkle/wire/limits";
import {
  describeAnswerProblem,
  formatAnswer,
  parseQuestions,
  type QuestionAnswer,
  turnEndTool,
} from "@merkle/wire/text";
import { sha256 } from "../../core/sha256.js";
import type { PersonContext } from "../../sessions/context.js";
import {
  type ApprovalServices,
  noSuchApproval,
  settleApproval,
  toApproval,
  toApprovalState,
} from "./approval.js";

/**
 * Lists approvals that the caller can answer from the current device, and approvals that ended recently
 * (APPROVE-3).
 */
export async function listApprovals(
  ctx: PersonContext<ApprovalServices>,
): Promise<OutputOf<"list_approvals">> {
  const { orm, meshId } = ctx.services.database;
  const owner = { meshId, personId: ctx.person.personId, device: getOwnDevice(ctx) };
  const [waiting, again, ended] = await Promise.all([
    listApprovalRows(orm, owner, { waiting: true, limit: limits.pageMessagesMax }),
    listRepeatedApprovals(orm, owner, { hours: limits.approvalAgainHours, limit: limits.pageMessagesMax }),
    listApprovalRows(orm, owner, { waiting: false, limit: limits.approvalsEndedShown }),
  ]);
  return {
    device: owner.device,
    waiting: waiting.map(toApproval),
    again: again.map(toApproval),
    ended: ended.map(toApproval),
  };
}

const states = { allow: "allowed", deny: "denied", leave: "left" } as const;

/**
 * Answers an agent's request for permission, once. If several people answer at the same time, or someone
 * also answers in the agent's terminal, the first answer counts (APPROVE-5). The answer applies only to the
 * request with this hash (APPROVE-4), and with `again` to the same command while the agent's launch runs (APPROVE-17).
 *
 * @throws bad_request if the agent asks questions that the answers do not fit, or the command cannot be allowed again
 * @throws conflict, with the current state, if the approval was already answered or has expired, or if its
 * hash differs
 */
export async function answerApproval(
  ctx: PersonContext<ApprovalServices>,
  { approval: number, decision, hash, again, words, answers, own }: ParsedInputOf<"answer_approval">,
): Promise<OutputOf<"answer_approval">> {
  const row = await requireOwn(ctx, number);
  if (row.hash !== hash)
    throw new MerkleError(
      "conflict",
      `Approval ${number} has changed since you opened it, so your answer was not saved. Open it again and decide.`,
    );
  if (decision === "revoke") return revokeApproval(ctx, row);
  if (again && row.repeatHash === null)
    throw new MerkleError(
      "bad_request",
      `Approval ${number} can only be allowed once, because it is not a plain command or may remove something, reach the network or touch production.`,
    );
  if (row.tool === turnEndTool && decision !== "leave")
    throw new MerkleError(
      "bad_request",
      `Approval ${number} is the end of a turn, which waits for a prompt. Answer with a message to the agent, or leave it to its terminal.`,
    );
  const state = states[decision];
  const end = {
    ...{
      state,
      again: again ?? false,
      words: words ?? null,
      answers: toAnswers(row, decision, answers),
      own: own ?? null,
    },
    by: ctx.person.name,
  };
  return ctx.write(async (write) => {
    if (await settleApproval(ctx.services, write, row, end)) return { approval: number, state };
    throw notWaiting(await requireOwn(ctx, number));
  });
}

/**
 * Stops allowing the approval's command again (APPROVE-18).
 *
 * @throws conflict if it was not allowed any more
 */
async function revokeApproval(
  ctx: PersonContext<ApprovalServices>,
  row: ApprovalRow,
): Promise<OutputOf<"answer_approval">> {
  const { number: approval, askedBy: of, tool, hash, sessionId, personId } = row;
  return ctx.write(async ({ tx, announce, afterCommit }) => {
    if (!(await revokeRepeat(tx, row, limits.approvalAgainHours)))
      throw new MerkleError(
        "conflict",
        `Approval ${approval} does not allow its command again, so nothing was revoked.`,
      );
    await announce(
      sessionId,
      {
        ...{ event: "approval_revoked", approval, of, tool, hash },
        ...{ by: ctx.person.name, at: new Date().toISOString() },
      },
      { causedBy: null, afterClosing: true, reaches: [] },
    );
    afterCommit(() => ctx.services.mesh.announceToPerson(personId, sessionId));
    return { approval, state: toApprovalState(row) };
  });
}

/**
 * Returns the answers to the agent's questions as the agent gets them, and null if it asks none (APPROVE-10).
 *
 * @throws bad_request if the answers do not match the questions
 */
function toAnswers(
  { tool, input }: ApprovalRow,
  decision: keyof typeof states,
  answers: readonly QuestionAnswer[] | undefined,
): string[] | null {
  const questions = decision === "allow" ? parseQuestions(tool, input) : null;
  if (questions === null && answers === undefined) return null;
  const problem = questions
    ? describeAnswerProblem(questions, answers ?? [])
    : "is only allowed if the agent asks questions";
  if (problem !== null) throw new MerkleError("bad_request", `answers ${problem}`);
  return (answers ?? []).map(formatAnswer);
}

/**
 * @throws not_found, also for an approval that belongs to another person or device, so that callers do not
 *   learn that the approval exists
 */
async function requireOwn(ctx: PersonContext<ApprovalServices>, number: number): Promise<ApprovalRow> {
  const { orm, meshId } = ctx.services.database;
  const row = await findApproval(orm, { meshId, number });
  if (row?.personId === ctx.person.personId && row.devices.includes(getOwnDevice(ctx))) return row;
  throw noSuchApproval({ number });
}

function getOwnDevice({ person }: PersonContext<ApprovalServices>): string {
  const device = toDeviceId(person.credential, sha256);
  if (device === undefined) throw new TypeError("The person's credential is not valid.");
  return device;
}

function notWaiting(row: ApprovalRow): MerkleError {
  const state = toApprovalState(row);
  const how = {
    waiting: "could not be answered",
    allowed: "was allowed",
    denied: "was denied",
    left: "was left to the agent's terminal",
    withdrawn: "was answered at the agent's terminal",
    lapsed: "has expired: the agent no longer waits for an answer",
  }[state];
  return new MerkleError("conflict", `Approval ${row.number} ${how}, so your answer was not saved.`, {
    state,
  });
}
