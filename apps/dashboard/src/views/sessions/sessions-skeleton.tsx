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
            <TableCell className="h-9.5 py-0 align-middle">
              <Skeleton className={`h-3.5 max-w-full ${width}`} />
            </TableCell>
            <TableCell className={wideOnly} />
            <TableCell className={wideOnly} />
            <TableCell className={wideOnly} />
          </TableRow>
        ))}
      </SessionColumns>
    </div>
  );
}
