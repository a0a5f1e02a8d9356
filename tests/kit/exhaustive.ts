/**
 * True if every row of the test tables is run (`npm run test:exhaustive`). Otherwise only a sample of the longest
 * tables runs, which finds nearly every defect in a third of the time.
 */
export const isExhaustive = process.env["MERKLE_TESTS"] === "all";

/** Returns how many rounds of a campaign to run: all of them in an exhaustive run, otherwise a third. */
export function countRounds(all: number): number {
  return isExhaustive ? all : Math.ceil(all / 3);
}

/** Divides the rows into `turns` parts and returns one of them. Returns all rows in an exhaustive run. */
export function selectShare<Row>(rows: readonly Row[], turn: number, turns: number): readonly Row[] {
  return isExhaustive ? rows : rows.filter((_, index) => index % turns === turn % turns);
}
