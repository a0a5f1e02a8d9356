/**
 * Calls `work` for each item, at most `atOnce` at a time. Resolves with the results in the order of the
 * items.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const take = async () => {
    // All workers share one iterator, so each takes the next item.
    for (const [index, item] of left) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, take));
  return results;
}
