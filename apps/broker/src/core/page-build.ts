/**
 * Pages that are built while the broker runs. Each promise resolves with true if the build succeeded, and
 * never rejects.
 */
export interface PageBuild {
  readonly dashboard: Promise<boolean>;
  readonly docs: Promise<boolean>;
}
