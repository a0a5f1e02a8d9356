/**
 * Number of this build. It increases whenever the contract changes: operations, frames, migrations or SQL
 * functions. The broker's replies and the command line's requests contain it, so that each side can detect an
 * older one.
 *
 * `npm run docs` increases the number, and a test fails until that has been done (BUILD-1). After a merge
 * conflict in this file, take either side and run `npm run docs` again.
 */
export const buildNumber = 26;

/** SHA-256 of the contract that belongs to this build number. */
export const contractHash = "02769bd147409237cf7aceba6d78355e7916ac18b21df9d295dc3c73e087ef49";

/** Name of the header in requests and replies that contains the sender's build number. */
export const buildHeader = "merkle-build";

/**
 * Reads the build number from a header or field. Returns 0 for a sender without a number, which counts as
 * older than every build.
 */
export function parseBuild(value: unknown): number {
  const text = String(value ?? "");
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
