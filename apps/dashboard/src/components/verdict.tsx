import { CircleHelp, type LucideIcon, ShieldAlert, ShieldCheck } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "@/core/utils";

export interface VerdictProps {
  /** `unsure`: the check passed, but the signer could not be identified. */
  readonly tone: "holds" | "unsure" | "wrong";
  readonly title: ReactNode;
  readonly children?: ReactNode;
}

const toneStyles: Readonly<Record<VerdictProps["tone"], { Icon: LucideIcon; box: string; text: string }>> = {
  holds: { Icon: ShieldCheck, box: "border-success/40 bg-added", text: "text-success" },
  unsure: { Icon: CircleHelp, box: "border-warning/40 bg-highlight", text: "text-warning" },
  wrong: { Icon: ShieldAlert, box: "border-danger/40 bg-danger-surface", text: "text-danger" },
};

/** The result of a verification. A positive result also states what it does not prove. */
export function Verdict({ tone, title, children }: VerdictProps) {
  const { Icon, box, text } = toneStyles[tone];
  return (
    <div
      role={tone === "wrong" ? "alert" : "status"}
      data-verdict={tone}
      className={cn(
        "grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-3 gap-y-1 rounded-lg border px-4 py-3 print:break-inside-avoid",
        box,
      )}
    >
      <Icon aria-hidden className={cn("size-5", text)} />
      <p className={cn("font-medium break-words", text)}>{title}</p>
      <div className="col-start-2 grid gap-1 text-sm break-words">
        {children}
        {tone !== "wrong" && <p>{verdictScope}</p>}
      </div>
    </div>
  );
}

export const verdictScope =
  "Unchanged since it was signed. This does not prove that its content is true or complete.";
