/**
 * Number of this build. It increases whenever the contract changes: operations, frames, migrations or SQL
 * functions. The broker's replies and the command line's requests carry it, so that each side can tell if the
 * other is older.
 *
 * `npm run docs` increases it, and a test fails until that is done (BUILD-1). After a merge conflict here,
 * take either side and run it again.
 */
export const buildNumber = 10;

/** SHA-256 of the contract with this number. */
export const contractHash = "37e0ede6a0fe20c2e7ff0fa8966092f4974f188dce5a5c0ce73b8ecbe3e485dd";

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
