import { Skeleton } from "@/ui/skeleton";

/** Placeholder for an exported page until it knows its URL. */
export function PageSkeleton() {
  return (
    <div aria-busy="true" className="flex flex-1 flex-col">
      <div className="flex h-12 shrink-0 items-center border-b px-4 lg:px-6">
        <Skeleton className="h-4 w-40" />
      </div>
    </div>
  );
}
