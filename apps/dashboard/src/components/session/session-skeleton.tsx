import { Skeleton } from "@/components/ui/skeleton";

/** The page of a session before anything is known of it, with everything at its height. */
export function SessionSkeleton() {
  return (
    <div
      role="status"
      className="flex h-[calc(100dvh-var(--bottom-bar))] min-h-0 flex-col"
      aria-label="The session is loading"
    >
      <div className="grid gap-2 border-b px-4 pt-2 pb-2">
        <Skeleton className="h-8 w-64 max-w-full" />
        <Skeleton className="h-7 w-96 max-w-full" />
        <Skeleton className="h-5 w-72 max-w-full" />
      </div>
      <div className="flex gap-2 border-b px-4 py-2">
        <Skeleton className="h-7 w-28" />
        <Skeleton className="h-7 w-24" />
        <Skeleton className="h-7 w-20" />
      </div>
      <div className="grid flex-1 content-end gap-4 p-4">
        <Skeleton className="h-12 w-3/4" />
        <Skeleton className="h-12 w-2/3" />
        <Skeleton className="h-12 w-3/4" />
      </div>
    </div>
  );
}
