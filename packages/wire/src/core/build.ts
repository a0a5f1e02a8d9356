/**
 * Number of this build. It increases whenever the contract changes: operations, frames, migrations or SQL
 * functions. The broker's replies and the command line's requests contain it, so that each side can detect an
 * older one.
 *
 * `npm run docs` increases the number, and a test fails until that has been done (BUILD-1). After a merge
 * conflict in this file, take either side and run `npm run docs` again.
 */
export const buildNumber = 25;

/** SHA-256 of the contract that belongs to this build number. */
export const contractHash = "6f93e7aa612df391766c82ae1e48db04970cd32d15d9f52c080bb416cbd37ec6";

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
