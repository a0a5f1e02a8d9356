"use client";

import { toProblem } from "@/broker/problem";
import { ProblemAlert } from "@/components/problem-alert";
import { lazyPart } from "@/core/lazy-part";
import { type FeedViewFilter, isFiltered } from "@/feed/store/feed-filter";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Skeleton } from "@/ui/skeleton";
import { FeedList, type FeedListProps } from "./feed-list";
import { clearFilter } from "./filter-bar";

/** Loaded only for sessions without messages. */
const StartPeer = lazyPart(() => import("./start-peer"), "StartPeer");

interface FeedBodyProps extends FeedListProps {
  readonly filter: FeedViewFilter;
}

/** The messages of the feed, or the reason why there are none. */
export function FeedBody(props: FeedBodyProps) {
  const { store, state, filter } = props;
  if (state.status === "failed") {
    return (
      <ProblemAlert
        title="Couldn't load the feed."
        problem={toProblem(state.problem)}
        stillWorks="The document and roster still work."
        onRetry={() => void store.open({ at: "end", as: "kept" })}
        className="m-3"
      />
    );
  }
  if (state.status === "opening") return <FeedSkeleton />;
  if (state.window.messages.length === 0 && state.window.from <= 1) {
    return isFiltered(filter) ? <NothingMatches /> : <NothingYet />;
  }
  return <FeedList {...props} />;
}

function NothingMatches() {
  return (
    <Empty className="flex-1 justify-center">
      <EmptyTitle>No matches</EmptyTitle>
      <EmptyDescription>No messages match this filter.</EmptyDescription>
      <Button variant="outline" size="sm" onClick={clearFilter}>
        Show all
      </Button>
    </Empty>
  );
}

function NothingYet() {
  const { session, at, isObserver } = useSession();
  if (at !== null) {
    return (
      <Empty className="flex-1 justify-center">
        <EmptyTitle>No messages yet</EmptyTitle>
        <EmptyDescription>The session was empty at this time.</EmptyDescription>
      </Empty>
    );
  }
  return (
    <Empty className="flex-1 justify-center">
      <EmptyTitle>No messages yet</EmptyTitle>
      <EmptyDescription>Agents and people post here.</EmptyDescription>
      {session.status === "active" && !isObserver && <StartPeer slug={session.slug} />}
    </Empty>
  );
}

/** Has roughly the height of real messages, so that the layout does not shift. */
function FeedSkeleton() {
  return (
    <div aria-busy className="flex min-h-0 flex-1 flex-col justify-end gap-4 overflow-hidden px-3 py-3">
      <span className="sr-only">Loading feed</span>
      {["w-3/4", "w-1/2", "w-5/6", "w-2/3", "w-3/5", "w-4/5"].map((width) => (
        <div key={width} aria-hidden className="flex gap-2">
          <Skeleton className="w-[3px]" />
          <div className="flex-1 space-y-1.5">
            <Skeleton className="h-4 w-40" />
            <Skeleton className={`h-4 ${width}`} />
          </div>
        </div>
      ))}
    </div>
  );
}
