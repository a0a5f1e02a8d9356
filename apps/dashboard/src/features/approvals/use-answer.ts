import type { Approval, InputOf, Peer } from "@merkle/wire";
import { hashApproval } from "@merkle/wire/identity";
import { formatAnswer, planTool, shortenAddress } from "@merkle/wire/text";
import { type Action, useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { useRead } from "@/broker/use-read";
import { sha256 } from "@/core/sha256";
import { useSigner } from "@/feed/compose/use-signer";
import type { ActionNote } from "@/parts/feature";
import { formatPeerAddress } from "@/sessions/roster-rows";
import { formatRequestLine } from "./request-text";

export type Decision = Pick<InputOf<"answer_approval">, "decision" | "again" | "words" | "answers">;

export interface Answering extends Pick<Action, "isPending" | "refusal"> {
  readonly answer: (decision: Decision) => void;
  /**
   * Whether the agent takes an answer to its questions from this device. Null until that is known. An agent whose launch
   * names devices takes answers only from them (APPROVE-13).
   */
  readonly canAnswer: boolean | null;
}

const noPeers: readonly Peer[] = [];

/** @param onChanged - called after each answer, with what it did, and after a refusal, with null */
export function useAnswer(approval: Approval, onChanged: (note: ActionNote | null) => void): Answering {
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  const { session_id, asked_by } = approval;
  const { data } = useRead("list_peers", { session_id });
  const peers = data?.peers ?? noPeers;
  const signer = useSigner(peers);
  const isBound = peers.some(
    ({ team, name, own_words }) => own_words && formatPeerAddress(team, name) === asked_by,
  );
  const isKnown = data !== undefined && !(isBound && signer === undefined);
  const canAnswer = isKnown ? !isBound || Boolean(signer?.findOwnAgent(peers, asked_by)) : null;

  async function answer(decision: Decision): Promise<void> {
    const isAnswered = await run(async (signal) => {
      // The hash covers everything that the page shows, so the answer approves nothing else.
      const hash = hashApproval(approval, sha256);
      const answers = decision.answers?.map(formatAnswer);
      const own = answers && (await signer?.signAnswer({ session_id, hash, answers }, peers, asked_by));
      const signed = { ...decision, ...(own && { own }) };
      await call("answer_approval", { approval: approval.approval, hash, ...signed }, { signal });
    });
    // Refresh after a refusal as well: the approval was probably answered elsewhere.
    onChanged(isAnswered ? { text: describeDecision(approval, decision) } : null);
  }

  return { answer: (decision) => void answer(decision), canAnswer, isPending, refusal };
}

/** Describes an answer in one sentence, such as `Allowed once: rm -rf build`. */
function describeDecision(
  { tool, input, asked_by }: Approval,
  { decision, again, answers }: Decision,
): string {
  const who = shortenAddress(asked_by);
  if (answers) return `Answered ${who}: ${answers.map(formatAnswer).join("; ")}`;
  if (again) return `Allowed for this launch: ${formatRequestLine(tool, input)}`;
  if (tool === planTool && (decision === "allow" || decision === "deny"))
    return decision === "allow" ? `Approved the plan of ${who}` : `Sent the plan of ${who} back`;
  const done = { allow: "Allowed once", deny: "Denied", leave: "Left for the terminal", revoke: "Revoked" }[
    decision
  ];
  return `${done}: ${formatRequestLine(tool, input)}`;
}
