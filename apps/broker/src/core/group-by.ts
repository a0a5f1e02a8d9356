/** A group of at least one row, in the original order. */
export type Group<Row> = readonly [Row, ...Row[]];

/** Groups rows by a key. The keys are in the order of their first occurrence. */
export function groupBy<Row, Key>(rows: Iterable<Row>, keyOf: (row: Row) => Key): Map<Key, Group<Row>> {
  const groups = new Map<Key, [Row, ...Row[]]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}
