import { ChevronRight } from "lucide-react";
import { PageLink } from "@/components/page-link";
import { cn } from "@/core/utils";

export interface Crumb {
  readonly label: string;
  /** Undefined for the current page. */
  readonly href?: string;
}

/** The path to the current page, outermost page first. */
export function Breadcrumb({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 max-sm:shrink-[99]">
      <ol className="flex min-w-0 items-center gap-1 text-muted-foreground">
        {crumbs.map(({ label, href }, place) => (
          <li
            key={href ?? label}
            className={cn(
              "flex min-w-0 items-center gap-1 first:shrink-0 last:text-foreground",
              // Keeps the last crumb visible, however long the name of the page above it is.
              crumbs.length > 2 && "last:shrink-0",
              // On a phone, hides the first crumb: the bottom bar has the same link, and the title needs the space.
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
