import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { MarkedText } from "@/text/marked-text";
import { hitIcons } from "./hit-icons";
import { hrefOfHit, kindLabels, type SearchHit, titleOfHit } from "./search-hits";

/** A search hit: its kind, the matching excerpt, its author, session and time, with a link to it. */
export function SearchHitRow({ hit, anySession }: { hit: SearchHit; anySession: string | null }) {
  const href = hrefOfHit(hit, anySession);
  const Icon = hitIcons[hit.kind];
  return (
    <li className="relative grid grid-cols-[1rem_minmax(0,1fr)] gap-x-3 px-3 py-row has-[a]:hover:bg-surface">
      <Icon aria-hidden className="mt-0.5 size-4 text-muted-foreground" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2 text-sm text-muted-foreground">
          <span className="font-medium text-foreground">{kindLabels[hit.kind]}</span>
          {href === null ? (
            <bdi>{titleOfHit(hit)}</bdi>
          ) : (
            <PageLink
              href={href}
              dir="auto"
              // The link's clickable area covers the whole row.
              className="min-w-0 truncate text-link underline-offset-4 after:absolute after:inset-0 hover:underline"
            >
              {titleOfHit(hit)}
            </PageLink>
          )}
          {hit.by !== null && <bdi>{hit.by}</bdi>}
          <TimeText at={hit.at} />
          {hit.project !== null && <bdi>{hit.project}</bdi>}
          {hit.source_path !== null && <bdi className="min-w-0 truncate">{hit.source_path}</bdi>}
          {hit.kind === "memory" && hit.session !== null && <span>{hit.session}</span>}
          {hit.kind === "state" && hit.session === null && <span>all sessions</span>}
        </p>
        <p dir="auto" className="mt-0.5 line-clamp-3 [overflow-wrap:anywhere]">
          <MarkedText text={hit.marked} />
        </p>
      </div>
    </li>
  );
}
