/** How many messages are new to me; a dot where there are none or nothing is known. */
export function Unread({ count, words = false }: { count: number | null; words?: boolean }) {
  if (count === null || count === 0) {
    if (words) return null;
    return (
      <span className="text-muted-foreground">
        <span aria-hidden>·</span>
        <span className="sr-only">none new</span>
      </span>
    );
  }
  const label = count >= 1_000 ? "999+" : String(count);
  return (
    <span className="rounded-full bg-primary px-1.5 text-xs leading-5 font-medium text-primary-foreground tabular-nums">
      {label}
      {words ? " new" : <span className="sr-only"> new</span>}
    </span>
  );
}
