import type { TimelineMark } from "./time-scale";

const quiet = "text-muted-foreground";

/** The symbol of each kind of mark. */
export const markFaces: Readonly<Record<TimelineMark["kind"], { sign: string; className: string }>> = {
  ask: { sign: "◆", className: "text-warning" },
  decision: { sign: "■", className: "text-success" },
  document: { sign: "▲", className: "text-info" },
  metadata: { sign: "✎", className: quiet },
  joined: { sign: "·", className: quiet },
  left: { sign: "·", className: quiet },
  held: { sign: "‖", className: "text-danger" },
  concluded: { sign: "●", className: "text-foreground" },
};
