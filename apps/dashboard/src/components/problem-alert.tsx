"use client";

import { RotateCw } from "lucide-react";
import type { Problem } from "@/broker/problem";
import { describeClock } from "@/core/time/describe-time";
import { cn } from "@/core/utils";
import { Alert, AlertDescription, AlertTitle } from "@/ui/alert";
import { Button } from "@/ui/button";

export interface ProblemAlertProps {
  readonly problem: Problem;
  /** The failure as a sentence, such as "Couldn't load memories." */
  readonly title?: string;
  /** A sentence about what still works. */
  readonly stillWorks?: string | undefined;
  /** Whether earlier data is still shown. */
  readonly isStale?: boolean;
  readonly onRetry?: (() => void) | undefined;
  readonly className?: string | undefined;
}

/** Shows a failure, its reason, what still works, and a button to retry. */
export function ProblemAlert({ problem, title, stillWorks, isStale, onRetry, className }: ProblemAlertProps) {
  return (
    <Alert className={cn("flex flex-wrap items-start justify-between gap-x-4 gap-y-2", className)}>
      <div className="min-w-0 flex-1 basis-64">
        <AlertTitle>{title ?? problem.title}</AlertTitle>
        <AlertDescription>
          <p className="break-words">
            {title !== undefined && `${problem.title} `}
            {problem.detail}
          </p>
          {stillWorks !== undefined && <p>{stillWorks}</p>}
          {isStale && <p>Showing the last loaded data.</p>}
          <ProblemDetails problem={problem} />
        </AlertDescription>
      </div>
      {onRetry && (
        <Button variant="outline" size="sm" onClick={onRetry}>
          <RotateCw aria-hidden />
          Retry
        </Button>
      )}
    </Alert>
  );
}

function ProblemDetails({ problem: { code, details, since } }: { problem: Problem }) {
  const facts = Object.entries(details).filter(([, value]) => typeof value !== "object");
  return (
    <details className="mt-1">
      <summary className="w-fit cursor-pointer py-0.5 text-muted-foreground pointer-coarse:py-3">
        Details
      </summary>
      <p className="font-mono text-xs leading-5 break-all">
        {code} · since {describeClock(since)}
        {facts.map(([name, value]) => ` · ${name}: ${String(value)}`)}
      </p>
    </details>
  );
}
