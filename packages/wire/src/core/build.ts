/**
 * Number of this build. It increases whenever the contract changes: operations, frames, migrations or SQL
 * functions. The broker's replies and the command line's requests carry it, so that each side can tell if the
 * other is older.
 *
 * `npm run docs` increases it, and a test fails until that is done (BUILD-1). After a merge conflict here,
 * take either side and run it again.
 */
export const buildNumber = 11;

/** SHA-256 of the contract with this number. */
export const contractHash = "2b4c92b60e035ebd9018a21e780e48b34172e3d9d3bc4246b7df1cff15cc061d";

/** The header of requests and replies that contains the sender's build. */
export const buildHeader = "merkle-build";

/**
 * Reads the build from a header or field. Returns 0 for a sender without a number, which is older than every
 * numbered build.
 */
export function parseBuild(value: unknown): number {
  const text = String(value ?? "");
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
