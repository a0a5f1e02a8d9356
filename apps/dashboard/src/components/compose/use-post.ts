import type { InputOf, OutputOf } from "@merkle/wire";
import { useCallback } from "react";
import { useBroker } from "@/lib/broker/use-broker";
import { requirePerson } from "@/lib/person/require-person";

type PostInput = Omit<InputOf<"post_message">, "team_id">;

/**
 * Posts as the person of this browser, who is asked for a name before the first word.
 *
 * @throws MerkleError as the broker refused it
 */
export function usePost(): (
  input: PostInput,
  options?: { signal?: AbortSignal },
) => Promise<OutputOf<"post_message">> {
  const broker = useBroker();
  return useCallback(
    async (input, options) => {
      await requirePerson();
      return broker.call("post_message", input, options);
    },
    [broker],
  );
}
