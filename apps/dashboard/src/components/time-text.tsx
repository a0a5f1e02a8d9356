import { describeAge } from "@/lib/age";

/** A time as its age; the exact time is in the tooltip. */
export function TimeText({ at, now }: { at: string; now: Date }) {
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {describeAge(date, now)}
    </time>
  );
}
