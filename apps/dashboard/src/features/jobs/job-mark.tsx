import type { JobStatus } from "@merkle/wire";
import { cn } from "@/core/utils";
import { jobStateLabels } from "./describe-job";

/** A job's state: its label, and an icon that differs in both shape and colour. */
export function JobMark({ status, className }: { readonly status: JobStatus; readonly className?: string }) {
  return (
    <span className={cn("inline-flex shrink-0 items-center gap-1.5", className)}>
      <svg
        aria-hidden
        viewBox="0 0 10 10"
        className="size-2.5 shrink-0 overflow-visible forced-color-adjust-none"
      >
        {chooseShape(status)}
      </svg>
      {jobStateLabels[status]}
    </span>
  );
}

function chooseShape(status: JobStatus) {
  switch (status) {
    case "queued":
      return <circle cx="5" cy="5" r="4" className="fill-none stroke-status-disconnected [stroke-width:2]" />;
    case "running":
      return (
        <>
          <path d="M5 0.75a4.25 4.25 0 0 0 0 8.5Z" className="fill-info" />
          <circle cx="5" cy="5" r="4.25" className="fill-none stroke-info [stroke-width:1.5]" />
        </>
      );
    case "succeeded":
      return <circle cx="5" cy="5" r="5" className="fill-status-active" />;
    case "failed":
      return <path d="M5 -0.6 10.6 5 5 10.6 -0.6 5Z" className="fill-status-blocked" />;
    case "timed_out":
      return (
        <path d="M5 0.2 9.8 5 5 9.8 0.2 5Z" className="fill-none stroke-status-blocked [stroke-width:1.75]" />
      );
    case "cancelled":
      return <path d="M1 5h8" className="stroke-status-disconnected [stroke-width:2]" />;
  }
}
