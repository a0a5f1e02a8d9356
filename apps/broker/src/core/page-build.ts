/** Pages that are being built while the broker is up. Each resolves with whether it was built; none rejects. */
export interface PageBuild {
  readonly dashboard: Promise<boolean>;
  readonly docs: Promise<boolean>;
}
