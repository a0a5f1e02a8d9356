import { Skeleton } from "@/ui/skeleton";

/** A placeholder that an exported page shows until its URL is known. */
export function PageSkeleton() {
  return (
    <div aria-busy="true" className="flex flex-1 flex-col">
      <div className="flex h-12 shrink-0 items-center border-b px-4 lg:px-6">
        <Skeleton className="h-4 w-40" />
      </div>
    </div>
  );
}
