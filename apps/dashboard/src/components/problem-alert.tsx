import { RotateCw } from "lucide-react";
import { Alert, AlertDescription, AlertTitle } from "@/components/ui/alert";
import { Button } from "@/components/ui/button";
import { describeClock } from "@/lib/clock";
import { type Polled, pollEveryMs } from "@/lib/use-polled";
import { cn } from "@/lib/utils";

export interface ProblemAlertProps {
  readonly state: Extract<Polled<unknown>, { status: "failed" }>;
  readonly onRetry: () => void;
  readonly className?: string;
}

/** What failed, since when, what is still shown, and that it is being tried again. */
export function ProblemAlert({ state, onRetry, className }: ProblemAlertProps) {
  const { problem, since, data } = state;
  return (
    <Alert className={cn("flex flex-wrap items-center justify-between gap-x-4 gap-y-2", className)}>
      <div className="min-w-0">
        <AlertTitle>{problem.title}</AlertTitle>
        <AlertDescription>
          <p className="break-words">{problem.detail}</p>
          <p>
            Failing since {describeClock(since)}; tried again every {pollEveryMs / 1000} s.
            {data !== null && " What is shown below is from before."}
          </p>
        </AlertDescription>
      </div>
      <Button variant="outline" size="sm" onClick={onRetry}>
        <RotateCw aria-hidden />
        Try now
      </Button>
    </Alert>
  );
}
