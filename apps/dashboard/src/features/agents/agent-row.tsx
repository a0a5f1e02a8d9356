import type { Agent, AgentWait, ReportedCheckout } from "@merkle/wire";
import { CircleAlert, ListTodo, MessageCircleQuestionMark } from "lucide-react";
import type { ReactNode } from "react";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { UnreadCount } from "@/components/unread-count";
import { cn } from "@/core/utils";
import { CheckoutLine } from "@/features/checkouts/api";
import { StatusMark } from "@/sessions/status-mark";
import { TeamBar } from "@/sessions/team-mark";
import { showHidden } from "@/text/markdown/hidden-characters";
import { findNeed } from "./agent-state";
import { describeActivity, describeUsage, describeWait, describeWaitReason, formatName } from "./agent-words";

/** An agent in the list: its name, reported work, task, the people or agents it waits for, and its unread messages. */
export function AgentRow({ agent, checkout }: { agent: Agent; checkout: ReportedCheckout | undefined }) {
  const { session, presence, declared, task, waits, unread } = agent;
  const need = findNeed(agent);
  const isBlocked = declared?.status === "blocked";
  const activity = describeActivity(agent);
  const usage = describeUsage(agent);
  return (
    <li className="relative flex gap-3 px-4 py-3 hover:bg-surface">
      <TeamBar colour={agent.colour} className="self-stretch" />
      <div className="grid min-w-0 flex-1 grid-cols-1 gap-1">
        <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
          <StatusMark status={presence} isBlocked={isBlocked} />
          <PageLink
            href={toWorkHref(agent)}
            title={`What ${formatName(agent)} did`}
            dir="auto"
            className="min-w-0 font-semibold break-words after:absolute after:inset-0 hover:underline"
          >
            {showHidden(formatName(agent))}
          </PageLink>
          {agent.role && (
            <span dir="auto" className="text-sm text-muted-foreground">
              {agent.role}
            </span>
          )}
          {need !== null && <AttentionBadge human={need === "human"} />}
          <span className="ml-auto flex items-center gap-3 text-sm text-muted-foreground tabular-nums">
            <UnreadCount count={unread} isAgents />
            {usage && <span title="Reported by its client">{usage}</span>}
          </span>
        </p>
        <p className="flex min-w-0 items-baseline gap-2">
          <span
            dir="auto"
            className={cn(
              "min-w-0 [overflow-wrap:anywhere]",
              activity.isQuoted ? "text-foreground" : "text-muted-foreground",
            )}
          >
            {isBlocked && <span className="font-medium text-danger">Blocked: </span>}
            {showHidden(activity.text)}
          </span>
          <TimeText at={activity.since} className="shrink-0 text-sm text-muted-foreground" />
        </p>
        {checkout && <CheckoutLine checkout={checkout} />}
        {(task !== null || waits.length > 0) && (
          <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-muted-foreground">
            {task && (
              <Fact Icon={ListTodo}>
                <span className="tabular-nums">Task {task.task}</span>{" "}
                <bdi className="text-foreground">{showHidden(task.title)}</bdi>
                {" · "}
                <TimeText at={task.since} />
              </Fact>
            )}
            {waits.map((wait) => (
              <Fact key={`${wait.kind} ${wait.number}`} Icon={MessageCircleQuestionMark}>
                {describeWaitReason(wait)}{" "}
                <WaitTarget agent={agent} wait={wait} className="text-foreground" />
                {" · "}
                <TimeText at={wait.since} />
              </Fact>
            ))}
          </p>
        )}
      </div>
      <span className="sr-only">in {session}</span>
    </li>
  );
}

/** Returns the page that lists what the agent did in its session. */
export function toWorkHref({ session, team }: Agent): string {
  return `/sessions/${session}/audit?by=${encodeURIComponent(team)}`;
}

interface WaitTargetProps {
  readonly agent: Agent;
  readonly wait: AgentWait;
  readonly className?: string;
}

/** The people or agents that an agent waits for. For an ask, a link to it. */
export function WaitTarget({ agent, wait, className }: WaitTargetProps) {
  const target = <bdi className={className}>{describeWait(wait)}</bdi>;
  if (wait.kind !== "ask") return target;
  return (
    <PageLink
      href={`/sessions/${agent.session}?m=${wait.number}`}
      title="Show the question"
      className="relative z-1 inline-block min-h-6 min-w-6 hover:underline pointer-coarse:min-h-11"
    >
      {target}
    </PageLink>
  );
}

/** Shows that an agent is waiting for a human or another agent. */
export function AttentionBadge({ human, className }: { human: boolean; className?: string }) {
  return (
    <span
      className={cn(
        "inline-flex items-center gap-1 rounded-full px-2 text-xs leading-5 font-medium",
        human ? "bg-highlight text-warning" : "bg-raised text-info",
        className,
      )}
    >
      <CircleAlert aria-hidden className="size-3" />
      {human ? "needs you" : "waits for an agent"}
    </span>
  );
}

function Fact({ Icon, children }: { Icon: typeof ListTodo; children: ReactNode }) {
  return (
    <span className="flex min-w-0 items-baseline gap-1.5">
      <Icon aria-hidden className="size-3.5 shrink-0 translate-y-0.5" />
      <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
    </span>
  );
}
