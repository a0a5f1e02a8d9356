import type { Approval, InputOf } from "@merkle/wire";
import { hashApproval } from "@merkle/wire/identity";
import { type Action, useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { sha256 } from "@/core/sha256";

export type Decision = Pick<InputOf<"answer_approval">, "decision" | "words" | "answers">;

export interface Answering extends Pick<Action, "isPending" | "refusal"> {
  readonly answer: (decision: Decision) => void;
}

/** @param onChanged - called after each answer, and also after a refusal */
export function useAnswer(approval: Approval, onChanged: () => void): Answering {
  const call = useCall();
  const { run, isPending, refusal } = useAction();

  async function answer(decision: Decision): Promise<void> {
    await run(async (signal) => {
      // The hash covers everything that the page shows, so the answer approves nothing else.
      const hash = hashApproval(approval, sha256);
      await call("answer_approval", { approval: approval.approval, hash, ...decision }, { signal });
    });
    // Refresh after a refusal as well: the approval was probably answered elsewhere.
    onChanged();
  }

  return { answer: (decision) => void answer(decision), isPending, refusal };
}
