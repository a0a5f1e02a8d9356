/**
 * What stands behind somebody, created where a credential is proved. Whatever is obtained with that credential is stored with it,
 * ends with its token, and is a program's where it is (TOKEN-9).
 */
export interface Authority {
  /** The member who vouches; null for tokens of before that was kept. */
  readonly vouchedBy: string | null;
  /** The token that proved it; null for a member's own key. */
  readonly token: number | null;
  /** The token for programs that it descends from; null where a person vouches. */
  readonly program: number | null;
}
