/**
 * The number of this build. It grows whenever the contract changes: operations, frames, migrations or SQL functions. Replies of the
 * broker and requests of the command line carry it, so that each side can tell that the other one is older.
 *
 * `npm run docs` raises it, and a test fails until that has been done (BUILD-1). After a merge that conflicts here, take either
 * side and run it again.
 */
export const buildNumber = 9;

/** SHA-256 of the contract that has this number. */
export const contractHash = "83888643c9061e21afd5c371426c2a3dcf6b9ed95a3f631438c3cc960a295383";

/** The header of requests and replies that contains the sender's build. */
export const buildHeader = "merkle-build";

/** Reads the build from a header or a field. Returns 0 for a sender without a number, which is older than any that has one. */
export function parseBuild(value: unknown): number {
  const text = String(value ?? "");
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
