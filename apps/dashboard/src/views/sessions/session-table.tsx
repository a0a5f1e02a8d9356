import type { ReactNode } from "react";
import { cn } from "@/core/utils";
import { Table, TableBody, TableHead, TableHeader, TableRow } from "@/ui/table";

/** The table of sessions. On a narrow screen, columns become a line below the title. */
export function SessionColumns({ children }: { children: ReactNode }) {
  return (
    <Table aria-label="Sessions">
      <TableHeader>
        <TableRow>
          <TableHead className="w-10 pr-0">
            <span className="sr-only">Selected</span>
          </TableHead>
          <TableHead className="pl-1">Session</TableHead>
          <TableHead className={cn(wideOnly, "w-52")}>Teams</TableHead>
          <TableHead className={wideOnly}>Latest message</TableHead>
          <TableHead className={cn(wideOnly, "w-24 text-right")}>New</TableHead>
        </TableRow>
      </TableHeader>
      <TableBody>{children}</TableBody>
    </Table>
  );
}

export const wideOnly = "hidden lg:table-cell";
