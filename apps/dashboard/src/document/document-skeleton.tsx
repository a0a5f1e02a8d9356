import { Skeleton } from "@/ui/skeleton";

const lines = ["w-1/2 h-5", "w-full", "w-11/12", "w-4/5", "w-1/3 h-5", "w-full", "w-10/12", "w-3/5"];

/** Placeholder lines, roughly where the lines of a document will appear. */
export function DocumentSkeleton() {
  return (
    <div aria-busy="true" className="grid max-w-[72ch] gap-3 px-4 py-4">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change.
        <Skeleton key={index} className={`h-3.5 ${line}`} />
      ))}
    </div>
  );
}

/** Placeholder for the whole pane: its toolbar, and the lines below. */
export function DocumentPaneSkeleton() {
  return (
    <>
      <div className="h-10 shrink-0 border-b" />
      <DocumentSkeleton />
    </>
  );
}
