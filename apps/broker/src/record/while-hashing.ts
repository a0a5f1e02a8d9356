import { MerkleError } from "@merkle/wire";

/** Less than a call may take before it counts as one that the database does not answer. */
const patienceMs = 10_000;

/**
 * Waits for what needs a record's hashes. A very long record that is hashed for the first time takes longer than an answer
 * may: then whoever asked is told to come again, and the hashing goes on, so that it is done at last.
 *
 * @throws unavailable, with nothing done but what was hashed
 */
export async function whileHashing<Result>(work: Promise<Result>): Promise<Result> {
  // What fails after nobody waits for it is told to whoever asks next.
  work.catch(() => undefined);
  let timer: NodeJS.Timeout | undefined;
  const longer = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(stillHashing()), patienceMs);
  });
  return Promise.race([work, longer]).finally(() => clearTimeout(timer));
}

function stillHashing(): MerkleError {
  return new MerkleError(
    "unavailable",
    "This record is long, and is being hashed for the first time, which goes on. Nothing else was done; ask again in a moment.",
    { outcome: "none", retry_after_s: 5 },
  );
}
