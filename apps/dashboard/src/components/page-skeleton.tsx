import { PageBody } from "@/components/page-body";
import { Skeleton } from "@/ui/skeleton";

/** What an exported page shows until its scripts have loaded: the page's title and placeholders for its content. */
export function PageSkeleton({ title }: { readonly title: string }) {
  return (
    <div aria-busy="true" className="flex flex-1 flex-col">
      <div className="flex h-12 shrink-0 items-center border-b px-4 lg:px-6 pointer-coarse:h-14">
        <h1 className="truncate font-medium">{title}</h1>
      </div>
      <PageBody className="grid gap-3">
        <Skeleton className="h-8 w-60 max-w-full" />
        <Skeleton className="h-10" />
        <Skeleton className="h-10" />
        <Skeleton className="h-10" />
      </PageBody>
    </div>
  );
}
