import { ChevronRight } from "lucide-react";
import { PageLink } from "@/components/page-link";
import { cn } from "@/core/utils";

export interface Crumb {
  readonly label: string;
  /** Left out for the page itself. */
  readonly href?: string;
}

/** Where a page is, from the outside in. */
export function Breadcrumb({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 max-sm:shrink-[99]">
      <ol className="flex min-w-0 items-center gap-1 text-muted-foreground">
        {crumbs.map(({ label, href }, place) => (
          <li
            key={href ?? label}
            className={cn(
              "flex min-w-0 items-center gap-1 first:shrink-0 last:text-foreground",
              // A page within one that is named by others: what it is must be seen, however long that name.
              crumbs.length > 2 && "last:shrink-0",
              // On a phone the bar below leads there, and the room is the title's.
              place === 0 && crumbs.length > 1 && "max-sm:hidden",
            )}
          >
            {place > 0 && (
              <ChevronRight aria-hidden className={cn("size-3.5 shrink-0", place === 1 && "max-sm:hidden")} />
            )}
            {href === undefined ? (
              <span dir="auto" aria-current="page" className="truncate font-medium">
                {label}
              </span>
            ) : (
              <PageLink
                ahead="settled"
                href={href}
                className="inline-flex min-h-6 min-w-0 items-center rounded-md hover:text-foreground hover:underline pointer-coarse:min-h-11 pointer-coarse:min-w-11"
              >
                <span dir="auto" className="truncate">
                  {label}
                </span>
              </PageLink>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
