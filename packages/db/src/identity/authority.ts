/**
 * The authority of a caller who has presented a valid credential. Everything that the caller obtains with the
 * credential stores this authority and ends together with the token. It counts as a program's if the
 * authority belongs to a program (TOKEN-9).
 */
export interface Authority {
  /** Id of the member who vouches. Null for tokens that were created before this was recorded. */
  readonly vouchedBy: string | null;
  /** Number of the token that was presented. Null if the caller used a member's own key. */
  readonly token: number | null;
  /** Number of the program token that the presented token is or descends from. Null if a person vouches. */
  readonly program: number | null;
}
