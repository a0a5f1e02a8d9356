const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago something was, in one unit; from a week on, its date. A clock that runs ahead of ours reads "just now". */
export function describeAge(at: Date, now: Date): string {
  const seconds = Math.floor((now.getTime() - at.getTime()) / 1000);
  if (seconds < 5) return "just now";
  if (seconds < minute) return `${seconds} s ago`;
  if (seconds < hour) return `${Math.floor(seconds / minute)} min ago`;
  if (seconds < day) return `${Math.floor(seconds / hour)} h ago`;
  if (seconds < 7 * day) return `${Math.floor(seconds / day)} d ago`;
  const sameYear = at.getFullYear() === now.getFullYear();
  return at.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    ...(sameYear ? {} : { year: "numeric" }),
  });
}
