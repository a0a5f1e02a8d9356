import { Skeleton } from "@/ui/skeleton";
import { TableCell, TableRow } from "@/ui/table";
import { SessionColumns, wideOnly } from "./session-table";

const titleWidths = ["w-48", "w-64", "w-40", "w-56"];

/** Placeholder rows with the height of the real rows. */
export function SessionsSkeleton() {
  return (
    <div aria-busy="true">
      <SessionColumns>
        {titleWidths.map((width) => (
          <TableRow key={width}>
            <TableCell />
            <TableCell>
              <div className="flex h-10 flex-col justify-center gap-2">
                <Skeleton className={`h-3.5 max-w-full ${width}`} />
                <Skeleton className="h-3 w-3/5" />
              </div>
            </TableCell>
            <TableCell className={wideOnly} />
            <TableCell className={wideOnly} />
            <TableCell className={wideOnly} />
            <TableCell className={wideOnly} />
          </TableRow>
        ))}
      </SessionColumns>
    </div>
  );
}
