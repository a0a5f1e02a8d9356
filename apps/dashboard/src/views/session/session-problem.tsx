import type { Problem } from "@/broker/problem";
import { PageLink } from "@/components/page-link";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";

/** Shown if a session cannot be loaded: the reason, and a way back. */
export function SessionProblem({ problem, onRetry }: { problem: Problem; onRetry: () => void }) {
  const { title, detail } = describeProblem(problem);
  return (
    <div role="alert" className="grid flex-1 place-items-center p-4">
      <Empty>
        <EmptyTitle asChild>
          <h1>{title}</h1>
        </EmptyTitle>
        <EmptyDescription dir="auto" className="break-words">
          {detail}
        </EmptyDescription>
        <div className="flex flex-wrap justify-center gap-2">
          {problem.code !== "not_found" && (
            <Button variant="outline" onClick={onRetry}>
              Try again
            </Button>
          )}
          <Button asChild>
            <PageLink href="/">Go to sessions</PageLink>
          </Button>
        </div>
        <p className="font-mono text-xs text-muted-foreground">{problem.code}</p>
      </Empty>
    </div>
  );
}

function describeProblem({ code, title, detail }: Problem): { title: string; detail: string } {
  switch (code) {
    case "not_found":
    case "bad_request":
      return {
        title: "Session not found",
        detail: "The link may be mistyped or belong to another broker.",
      };
    case "unauthorized":
      return {
        title: "The broker doesn't recognise you",
        detail: "Ask the person who runs it for an invite, or enter your key under Settings, Profile.",
      };
    case "forbidden":
      return { title: "You don't have access to this session", detail };
    case "too_many_requests":
      return { title: "Too many requests", detail: "Wait a moment, then try again." };
    default:
      return { title, detail };
  }
}
