/**
 * Whether to run every row of test tables (`npm run test:exhaustive`). Otherwise the longest tables are
 * sampled, which finds nearly everything in a third of the time.
 */
export const isExhaustive = process.env["MERKLE_TESTS"] === "all";

/** Returns the number of rounds of a campaign to run: all in an exhaustive run, otherwise a third. */
export function roundsOf(all: number): number {
  return isExhaustive ? all : Math.ceil(all / 3);
}

/**
 * Returns the rows of this turn, where the rows are divided among `turns` turns. Returns all rows in an
 * exhaustive run.
 */
export function inTurn<Row>(rows: readonly Row[], turn: number, turns: number): readonly Row[] {
  return isExhaustive ? rows : rows.filter((_, index) => index % turns === turn % turns);
}
