import { MerkleError } from "@merkle/wire";

/** Repeats a call while the broker replies that the work is still in progress, as happens on a busy machine. */
export async function untilDone<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof MerkleError && error.message.includes("is still being"))) throw error;
    }
  }
}
