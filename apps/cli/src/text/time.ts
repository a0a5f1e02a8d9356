/** How long ago it was: `32s`, `2m`. The broker's clock may be ahead of ours. */
export function toAge(timestamp: string, now = Date.now()): string {
  return toDuration(Math.max(0, (now - Date.parse(timestamp)) / 1000));
}

/** A moment of today as `14:05`, of another day as `2026-03-02 14:05`, in this machine's time zone. */
export function toMoment(timestamp: string, now = new Date()): string {
  const at = new Date(timestamp);
  const time = `${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
  return at.toDateString() === now.toDateString() ? time : `${dayOf(at)} ${time}`;
}

function dayOf(at: Date): string {
  return `${at.getFullYear()}-${twoDigits(at.getMonth() + 1)}-${twoDigits(at.getDate())}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}

/** A time span as people say it, in its largest unit: `45s`, `12m`, `3h`, `2d`. */
export function toDuration(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** `1 message`, `2 messages`, `1,200 messages`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
