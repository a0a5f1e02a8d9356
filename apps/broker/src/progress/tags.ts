/** Tags are kept as they were written, and compared without case: of "CI" and "ci" the first one stays. */
export function withoutTwins(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags) if (!byKey.has(tag.toLowerCase())) byKey.set(tag.toLowerCase(), tag);
  return [...byKey.values()];
}

export function foldedTags(tags: readonly string[]): string[] {
  return withoutTwins(tags).map((tag) => tag.toLowerCase());
}
