import { Skeleton } from "@/ui/skeleton";

/** Stands for the rows of a log while they load. */
export function LogSkeleton() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading log" className="space-y-px">
      {[0, 1, 2, 3, 4].map((row) => (
        <Skeleton key={row} className="h-11" />
      ))}
    </div>
  );
}
