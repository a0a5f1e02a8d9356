/**
 * Whether tables of tests are to be gone through to the last row, by `npm run test:exhaustive`. Without it the suite takes of
 * the longest ones what finds nearly all that the whole would, in a third of the time.
 */
export const isExhaustive = process.env["MERKLE_TESTS"] === "all";

/** How many rounds of a campaign to run: all of them when everything is to be gone through, else a third. */
export function roundsOf(all: number): number {
  return isExhaustive ? all : Math.ceil(all / 3);
}

/** The rows whose turn it is, of as many turns; all of them when everything is to be gone through. */
export function inTurn<Row>(rows: readonly Row[], turn: number, turns: number): readonly Row[] {
  return isExhaustive ? rows : rows.filter((_, index) => index % turns === turn % turns);
}
