import type { Agent, ReportedCheckout } from "@merkle/wire";
import { ArrowDown, ArrowUp } from "lucide-react";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { UnreadCount } from "@/components/unread-count";
import { cn } from "@/core/utils";
import { CheckoutLine, findPeerCheckout } from "@/features/checkouts/api";
import { StatusMark } from "@/sessions/status-mark";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Table, TableBody, TableCell, TableHead, TableHeader, TableRow } from "@/ui/table";
import type { AgentQuery, AgentSort } from "./agent-query";
import { AttentionBadge, toWorkHref, WaitTarget } from "./agent-row";
import { findNeed, findState } from "./agent-state";
import { describeActivity, describeUsage, describeWait, formatCount, formatName } from "./agent-words";

export interface AgentTableProps {
  readonly agents: readonly Agent[];
  readonly checkouts: readonly ReportedCheckout[];
  readonly query: AgentQuery;
  readonly onSort: (order: Pick<AgentQuery, "sort" | "isReversed">) => void;
}

/** The agents, one per row, with what each reported and what the broker observed. */
export function AgentTable({ agents, checkouts, query, onSort }: AgentTableProps) {
  const head = (sort: AgentSort, label: string, className?: string) => (
    <SortHead sort={sort} label={label} query={query} onSort={onSort} className={className} />
  );
  return (
    <div className="rounded-lg border">
      <Table aria-label="Agents">
        <TableHeader>
          <TableRow>
            {head("name", "Agent", "w-[18%]")}
            <TableHead className="w-auto">Doing</TableHead>
            {head("need", "Waiting for", "w-[18%]")}
            {head("task", "Task", "hidden w-1/6 lg:table-cell")}
            {head("tokens", "Tokens", "w-24 text-right")}
            {head("seen", "Last seen", "w-28 text-right")}
          </TableRow>
        </TableHeader>
        <TableBody>
          {agents.map((agent) => (
            <AgentCells key={agent.peer_id} agent={agent} checkout={findPeerCheckout(checkouts, agent)} />
          ))}
        </TableBody>
      </Table>
    </div>
  );
}

interface SortHeadProps extends Pick<AgentTableProps, "query" | "onSort"> {
  readonly sort: AgentSort;
  readonly label: string;
  readonly className?: string | undefined;
}

/** The head of a column that sorts the table. A second click reverses the order. */
function SortHead({ sort, label, query, onSort, className }: SortHeadProps) {
  const isSorted = query.sort === sort;
  // Tokens and times begin with the highest.
  const isAscending = (sort === "tokens" || sort === "seen") === query.isReversed;
  const Arrow = isAscending ? ArrowUp : ArrowDown;
  return (
    <TableHead
      aria-sort={isSorted ? (isAscending ? "ascending" : "descending") : undefined}
      className={className}
    >
      <button
        type="button"
        className="inline-flex min-h-6 min-w-6 items-center gap-1 hover:text-foreground pointer-coarse:min-h-11"
        onClick={() => onSort({ sort, isReversed: isSorted && !query.isReversed })}
      >
        {label}
        {isSorted && <Arrow aria-hidden className="size-3.5" />}
      </button>
    </TableHead>
  );
}

interface AgentCellsProps {
  readonly agent: Agent;
  readonly checkout: ReportedCheckout | undefined;
}

function AgentCells({ agent, checkout }: AgentCellsProps) {
  const { presence, declared, waits, task, tokens } = agent;
  const [wait, ...moreWaits] = waits;
  const need = findNeed(agent);
  const isBlocked = declared?.status === "blocked";
  const activity = describeActivity(agent);
  return (
    <TableRow className={cn("hover:bg-surface", findState(agent) === "offline" && "text-muted-foreground")}>
      <TableCell>
        <span className="flex min-w-0 items-center gap-2">
          <StatusMark status={presence} isBlocked={isBlocked} />
          <PageLink
            href={toWorkHref(agent)}
            dir="auto"
            title={`What ${formatName(agent)} did`}
            className="block min-w-6 truncate leading-6 font-medium hover:underline pointer-coarse:leading-11"
          >
            {showHidden(formatName(agent))}
          </PageLink>
        </span>
        <span
          dir="auto"
          className="block truncate ps-4.5 text-xs text-muted-foreground"
          title={agent.session_title}
        >
          {showHidden(agent.session_title)}
        </span>
      </TableCell>
      <TableCell>
        <p title={activity.text} className="line-clamp-2 [overflow-wrap:anywhere]">
          {isBlocked && <span className="font-medium text-danger">Blocked: </span>}
          <bdi>{showHidden(activity.text)}</bdi>
          {activity.since !== agent.last_seen_at && (
            <TimeText at={activity.since} className="ms-2 text-sm text-muted-foreground" />
          )}
        </p>
        {checkout && <CheckoutLine checkout={checkout} />}
      </TableCell>
      <TableCell>
        <p className="flex min-w-0 flex-wrap items-center gap-x-2">
          {need !== null && <AttentionBadge human={need === "human"} />}
          {wait && (
            <span className="min-w-0 truncate text-sm" title={waits.map(describeWait).join(", ")}>
              <WaitTarget agent={agent} wait={wait} />
              {moreWaits.length > 0 && ` +${moreWaits.length}`} · <TimeText at={wait.since} />
            </span>
          )}
        </p>
      </TableCell>
      <TableCell className="hidden lg:table-cell">
        {task && (
          <PageLink
            href={`/sessions/${agent.session}/tasks?task=${task.task}`}
            title={task.title}
            className="line-clamp-2 min-h-6 [overflow-wrap:anywhere] hover:underline pointer-coarse:min-h-11"
          >
            <span className="text-muted-foreground tabular-nums">{task.task}</span>{" "}
            <bdi>{showHidden(task.title)}</bdi>
          </PageLink>
        )}
      </TableCell>
      <TableCell className="text-right tabular-nums" title={describeUsage(agent) ?? undefined}>
        {tokens !== null && formatCount(tokens)}
      </TableCell>
      <TableCell className="text-right text-sm">
        <TimeText at={agent.last_seen_at} className="tabular-nums" />
        <span className="block text-xs text-muted-foreground">
          <UnreadCount count={agent.unread} isAgents />
        </span>
      </TableCell>
    </TableRow>
  );
}
