import { cn } from "@/lib/utils";
import { type TimelineMark, type TimeScale, toShare } from "./time-scale";

/** What happened when, by a sign for each kind. The slider that they stand in says them in words. */
export function LaneMarks({ scale, marks }: { scale: TimeScale; marks: readonly TimelineMark[] }) {
  return (
    <div aria-hidden className="absolute inset-x-0 top-0.5 h-4">
      {marks.map((mark, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: marks of one moment have nothing else of their own.
          key={index}
          className={cn("absolute -translate-x-1/2 leading-4", faces[mark.kind].className)}
          style={{ left: `${toShare(scale, Date.parse(mark.at)) * 100}%` }}
        >
          {faces[mark.kind].sign}
        </span>
      ))}
    </div>
  );
}

const quiet = "text-muted-foreground";

const faces: Readonly<Record<TimelineMark["kind"], { sign: string; className: string }>> = {
  ask: { sign: "◆", className: "text-warning" },
  decision: { sign: "■", className: "text-success" },
  document: { sign: "▲", className: "text-info" },
  metadata: { sign: "✎", className: quiet },
  joined: { sign: "·", className: quiet },
  left: { sign: "·", className: quiet },
  held: { sign: "‖", className: "text-danger" },
  concluded: { sign: "●", className: "text-foreground" },
};
