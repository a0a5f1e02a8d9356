/** A group of at least one row, in the original order. */
export type NonEmptyGroup<Row> = readonly [Row, ...Row[]];

/** Groups rows by a key. The keys are in the order of their first occurrence. */
export function groupBy<Row, Key>(
  rows: Iterable<Row>,
  toKey: (row: Row) => Key,
): Map<Key, NonEmptyGroup<Row>> {
  const groups = new Map<Key, [Row, ...Row[]]>();
  for (const row of rows) {
    const group = groups.get(toKey(row));
    if (group) group.push(row);
    else groups.set(toKey(row), [row]);
  }
  return groups;
}
