import type { Session } from "@merkle/wire";
import Link from "next/link";
import type { ReactNode } from "react";
import { TimeText } from "@/components/time-text";
import { Badge } from "@/components/ui/badge";
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from "@/components/ui/table";
import { cn } from "@/lib/utils";

/** Numbers stand in columns of their own; where there is no room for these, they are a line below the title. */
export function SessionTable({ sessions }: { sessions: readonly Session[] }) {
  return (
    <SessionColumns>
      {sessions.map((session) => (
        <SessionRow key={session.session_id} session={session} />
      ))}
    </SessionColumns>
  );
}

/** The head of the table, with whatever rows. */
export function SessionColumns({ children }: { children: ReactNode }) {
  return (
    <Table aria-label="Sessions">
      <TableHeader>
        <TableRow>
          <TableHead className="w-auto">Session</TableHead>
          <TableHead className={cn(wide, "w-16 text-right")}>Teams</TableHead>
          <TableHead className={cn(wide, "w-24 text-right")}>Messages</TableHead>
          <TableHead className={cn(wide, "w-24 text-right")}>Document</TableHead>
          <TableHead className="w-28 text-right sm:w-32">Last message</TableHead>
        </TableRow>
      </TableHeader>
      <TableBody>{children}</TableBody>
    </Table>
  );
}

export const wide = "hidden sm:table-cell";

const number = new Intl.NumberFormat("en");

function SessionRow({ session }: { session: Session }) {
  const { title, slug, description, teams, last_sequence, document_version, last_posted_at } = session;
  const documentLabel = document_version === 0 ? "empty" : `v${number.format(document_version)}`;
  return (
    <TableRow>
      <TableCell className="pr-0 sm:pr-3">
        <div className="flex items-start gap-2">
          <Link
            href={`/sessions/${slug}`}
            dir="auto"
            className="line-clamp-2 min-w-0 font-medium break-words hover:underline"
            title={title}
          >
            {title}
          </Link>
          <StatusBadge session={session} />
        </div>
        <div className="truncate text-sm text-muted-foreground">
          <span className="font-mono text-xs">{slug}</span>
          {description !== "" && (
            <span dir="auto" className="ml-2" title={description}>
              {description}
            </span>
          )}
        </div>
        <div className="text-xs leading-5 text-muted-foreground tabular-nums sm:hidden">
          {count(teams, "team")} · {count(last_sequence, "message")} · doc {documentLabel}
        </div>
      </TableCell>
      <NumberCell>{number.format(teams)}</NumberCell>
      <NumberCell>{number.format(last_sequence)}</NumberCell>
      <NumberCell className={document_version === 0 ? "text-muted-foreground" : ""}>
        {documentLabel}
      </NumberCell>
      <TableCell className="text-right whitespace-nowrap text-muted-foreground tabular-nums">
        {last_posted_at === null ? "nothing yet" : <TimeText at={last_posted_at} />}
      </TableCell>
    </TableRow>
  );
}

function NumberCell({ className, children }: { className?: string; children: ReactNode }) {
  return <TableCell className={cn(wide, "text-right tabular-nums", className)}>{children}</TableCell>;
}

function StatusBadge({ session }: { session: Session }) {
  if (session.status === "active") return <Badge variant="success">open</Badge>;
  const closedAt = session.closed_at === null ? "" : new Date(session.closed_at).toLocaleString();
  return (
    <Badge variant="muted" title={`Closed ${closedAt}`}>
      closed
    </Badge>
  );
}

function count(amount: number, noun: string): string {
  return `${number.format(amount)} ${noun}${amount === 1 ? "" : "s"}`;
}
