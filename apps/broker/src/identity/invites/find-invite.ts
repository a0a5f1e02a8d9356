import { findInviteBySecret, type InviteRow, type Queryable, tryInviteCode } from "@merkle/db";
import { MerkleError, parseInvite } from "@merkle/wire";
import { hashSecret } from "../credential.js";

/**
 * The invite that somebody was given, in whatever state.
 *
 * @throws not_found, which never says what of it was wrong, for anything else; a wrong code is counted (INVITE-5)
 */
export async function findGivenInvite(db: Queryable, given: string): Promise<InviteRow> {
  const words = parseInvite(given);
  const row =
    words?.kind === "secret"
      ? await findInviteBySecret(db, hashSecret(words.secret))
      : words && (await tryInviteCode(db, words));
  if (row) return row;
  throw new MerkleError(
    "not_found",
    "There is no such invite. A link must be whole; a spoken code is good for ten minutes and a few tries. Ask whoever invited you for a new one.",
  );
}
