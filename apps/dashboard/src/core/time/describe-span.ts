const minute = 60;
const hour = 60 * minute;

/** Formats a duration in its two largest units: 9 s, 1 min 04 s, 2 h 05 min. */
export function describeSpan(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < minute) return `${seconds} s`;
  if (seconds < hour) return `${Math.floor(seconds / minute)} min ${formatTwoDigits(seconds % minute)} s`;
  return `${Math.floor(seconds / hour)} h ${formatTwoDigits(Math.floor((seconds % hour) / minute))} min`;
}

function formatTwoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
