import { ChevronRight } from "lucide-react";
import { PageLink } from "@/components/page-link";

export interface Crumb {
  readonly label: string;
  /** Left out for the page itself. */
  readonly href?: string;
}

/** Where a page is, from the outside in. */
export function Breadcrumb({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <nav aria-label="Where this is" className="min-w-0">
      <ol className="flex min-w-0 items-center gap-1 text-muted-foreground">
        {crumbs.map(({ label, href }, place) => (
          <li
            key={href ?? label}
            className="flex min-w-0 items-center gap-1 first:shrink-0 last:text-foreground"
          >
            {place > 0 && <ChevronRight aria-hidden className="size-3.5 shrink-0" />}
            {href === undefined ? (
              <span dir="auto" aria-current="page" className="truncate font-medium">
                {label}
              </span>
            ) : (
              <PageLink
                ahead="settled"
                href={href}
                className="truncate rounded-md py-1 hover:text-foreground hover:underline"
              >
                {label}
              </PageLink>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
