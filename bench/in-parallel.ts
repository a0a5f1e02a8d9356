/** Runs `work` for each item, at most `atOnce` at a time, and returns the results in the items' order. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [index, item] of rest) results[index] = await work(item);
    }),
  );
  return results;
}
