import type { ReportedCheckout } from "@merkle/wire";
import { GitBranch } from "lucide-react";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { showHidden } from "@/text/markdown/hidden-characters";

export interface CheckoutLineProps {
  readonly checkout: ReportedCheckout;
  readonly className?: string;
}

/** A repository, branch and the size of the change there, with how long ago the agent's side reported it. */
export function CheckoutLine({ checkout, className }: CheckoutLineProps) {
  const { repository, branch, worktree, base, files, added, removed, pull_request, reported_at } = checkout;
  const from = base === null ? "since the last commit" : `since ${base}`;
  const facts = [
    repository,
    branch === null ? "no branch" : `branch ${branch}`,
    worktree !== null && `worktree ${worktree}`,
    `${files} ${files === 1 ? "file" : "files"} changed ${from}`,
  ].filter(Boolean);
  return (
    <span
      title={facts.join(", ")}
      className={cn(
        "inline-flex min-w-0 max-w-full flex-wrap items-baseline gap-x-1.5 text-sm text-muted-foreground",
        className,
      )}
    >
      {/* Takes a line of its own where the rest does not fit beside it. */}
      <span className="inline-flex min-w-0 max-w-full items-baseline gap-1.5">
        <GitBranch aria-hidden className="size-3.5 shrink-0 translate-y-0.5" />
        <span className="sr-only">Works in </span>
        <Place repository={showHidden(repository.split("/").at(-1) ?? repository)} branch={branch} />
      </span>
      <span className="shrink-0 tabular-nums">
        <span className="text-success">+{added}</span> <span className="text-danger">−{removed}</span>
      </span>
      {pull_request !== null && (
        <a
          href={pull_request}
          target="_blank"
          rel="noreferrer noopener"
          className="relative z-1 inline-flex min-h-6 min-w-6 shrink-0 items-center justify-center text-link underline pointer-coarse:min-h-11 pointer-coarse:min-w-11"
        >
          <span className="sr-only">pull request </span>#{/\d+$/.exec(pull_request)?.[0]}
        </a>
      )}
      <TimeText at={reported_at} className="shrink-0" />
    </span>
  );
}

const branchEndChars = 14;

/** A repository and branch, cut in the middle: branches often begin alike, and differ at the end. */
function Place({ repository, branch }: Pick<ReportedCheckout, "repository" | "branch">) {
  if (branch === null) return <bdi className="min-w-0 truncate">{repository}</bdi>;
  const name = Array.from(showHidden(branch));
  return (
    <span dir="ltr" className="inline-flex min-w-0 whitespace-pre">
      <span className="min-w-0 truncate">
        {repository}
        {" / "}
        <span className="text-foreground">{name.slice(0, -branchEndChars).join("")}</span>
      </span>
      <span className="shrink-0 text-foreground">{name.slice(-branchEndChars).join("")}</span>
    </span>
  );
}
