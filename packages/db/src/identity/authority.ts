/**
 * The authority of a caller who has presented a valid credential. Everything that the caller obtains with the
 * credential stores this authority, ends together with the token, and counts as a program's if the authority
 * is a program's (TOKEN-9).
 */
export interface Authority {
  /** Id of the member who vouches. Null for tokens that were created before this was recorded. */
  readonly vouchedBy: string | null;
  /** Number of the token that was presented. Null if the caller used a member's own key. */
  readonly token: number | null;
  /** Number of the program token that the presented token is or descends from. Null if a person vouches. */
  readonly program: number | null;
}
