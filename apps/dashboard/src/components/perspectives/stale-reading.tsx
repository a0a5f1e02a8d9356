import type { Perspective } from "@merkle/wire";
import { describeRevision } from "@/lib/sources/source";
import { ReadButton, type StartReading } from "./read-button";

/** Says why a reading does not hold any more, and offers another one. */
export function StaleReading({
  perspective,
  start,
}: {
  readonly perspective: Perspective;
  readonly start: StartReading;
}) {
  return (
    <div
      role="status"
      className="grid gap-2 rounded-lg border border-warning/40 bg-highlight px-3 py-2 text-sm"
    >
      <p>
        <strong className="font-medium text-warning">Stale:</strong> {whyStale(perspective)}
      </p>
      <ReadButton {...start} label="Read again" isQuiet />
    </div>
  );
}

function whyStale({ stale_because, source_version, source_hash }: Perspective): string {
  const text =
    source_version === null
      ? `the file has changed since ${describeRevision(source_hash)}`
      : `the document has changed since version ${source_version}`;
  const persona = "how this persona reads was rewritten since";
  if (stale_because.length === 2) return `${text}, and ${persona}.`;
  return stale_because.includes("source") ? `${text}.` : `${persona}.`;
}
