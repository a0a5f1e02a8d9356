/**
 * The authority behind a proven credential. Everything obtained with the credential stores this authority,
 * ends with its token, and counts as a program's if the authority is a program's (TOKEN-9).
 */
export interface Authority {
  /** The member who vouches. Null for tokens from before this was recorded. */
  readonly vouchedBy: string | null;
  /** The token that was proven. Null for a member's own key. */
  readonly token: number | null;
  /** The program token that the token descends from. Null if a person vouches. */
  readonly program: number | null;
}
