/**
 * Number of this build. It increases whenever the contract changes: operations, frames, migrations or SQL
 * functions. The broker's replies and the command line's requests carry it, so that each side can tell if the
 * other is older.
 *
 * `npm run docs` increases it, and a test fails until that is done (BUILD-1). After a merge conflict here,
 * take either side and run it again.
 */
export const buildNumber = 9;

/** SHA-256 of the contract with this number. */
export const contractHash = "83888643c9061e21afd5c371426c2a3dcf6b9ed95a3f631438c3cc960a295383";

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
