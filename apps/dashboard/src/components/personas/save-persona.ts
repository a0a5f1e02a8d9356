import type { OutputOf, Persona } from "@merkle/wire";
import { MerkleError } from "@merkle/wire/errors";
import type { Call } from "@/lib/broker/use-call";

export interface PersonaDraft {
  readonly name: string;
  readonly prompt: string;
  readonly retired: boolean;
  readonly baseVersion: number;
}

/**
 * Writes a persona. Where another version came in between, nothing is written, and that version comes back.
 *
 * @throws MerkleError for any other refusal
 */
export async function savePersona(
  call: Call,
  { baseVersion, ...persona }: PersonaDraft,
  signal: AbortSignal,
): Promise<{ readonly theirs: Persona | null }> {
  try {
    await call("put_persona", { ...persona, expected_version: baseVersion }, { signal });
    return { theirs: null };
  } catch (error) {
    if (!(error instanceof MerkleError) || error.code !== "conflict") throw error;
    const theirs = await findCurrent(call, persona.name, error);
    return { theirs };
  }
}

/** Too many personas is a conflict, too, and then there is none of that name. */
async function findCurrent(
  call: Call,
  name: string,
  conflict: MerkleError,
): Promise<OutputOf<"get_persona">> {
  try {
    return await call("get_persona", { name });
  } catch {
    throw conflict;
  }
}
