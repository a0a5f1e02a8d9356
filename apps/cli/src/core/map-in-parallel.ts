/**
 * Calls `work` for each item, at most `atOnce` at a time. Resolves with the results in the order of the
 * items.
 */
export async function mapInParallel<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const remaining = items.entries();
  const take = async () => {
    // All workers share one iterator, so each takes the next item.
    for (const [index, item] of remaining) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, take));
  return results;
}
