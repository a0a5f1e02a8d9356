/** At least one, in the order in which they came. */
export type Group<Row> = readonly [Row, ...Row[]];

/** Rows by a key of theirs, keys in the order in which they first came. */
export function groupBy<Row, Key>(rows: Iterable<Row>, keyOf: (row: Row) => Key): Map<Key, Group<Row>> {
  const groups = new Map<Key, [Row, ...Row[]]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}
