"use client";

import type { OutputOf } from "@merkle/wire";
import { ChevronDown, CircleCheckBig, Ellipsis, Pause, Play, UserPlus } from "lucide-react";
import { useId, useState } from "react";
import { PageHeader } from "@/components/page-header";
import { PanelBoundary } from "@/components/panel-boundary";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { Parts } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { RosterBar } from "./roster-bar";
import { SessionDescription, SessionTitle } from "./session-title";
import { useSessionActions } from "./use-session-actions";

/**
 * The breadcrumb, title and actions of the session; below them its state, one line of its description, and its teams.
 * A button expands the description and the counts.
 */
export function SessionHeader() {
  const { session, at } = useSession();
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  return (
    <>
      <PageHeader
        crumbs={[
          { label: "Sessions", href: "/" },
          { label: session.title, heading: <SessionTitle isWhole={isOpen} /> },
        ]}
        actions={<HeaderActions />}
      />
      {/* Printing leaves out the page header. */}
      <p dir="auto" className="hidden px-4 text-title font-semibold print:block">
        {session.title}
      </p>
      <div className="flex h-10 shrink-0 items-center gap-x-3 px-4 lg:px-6 pointer-coarse:h-12">
        <div className="relative flex items-center gap-x-2 max-md:shrink-0 md:min-w-0 md:flex-1">
          <StateBadge />
          <MessageBudget />
          {/* On a phone the teams need the space. */}
          {!isOpen && <SessionDescription className="truncate max-md:sr-only" />}
          <Button
            variant="ghost"
            size="icon"
            aria-label="About this session"
            aria-expanded={isOpen}
            aria-controls={detailsId}
            // A press anywhere on the line expands it.
            className="size-7 text-muted-foreground md:after:absolute md:after:inset-0"
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronDown aria-hidden className={cn(isOpen && "rotate-180")} />
          </Button>
        </div>
        <div className="flex min-w-0 max-md:flex-1 max-md:justify-end md:max-w-3/5">
          <PanelBoundary title="Roster">
            {at === null ? <RosterBar /> : <Parts select={({ session: parts }) => parts?.PastRoster} />}
          </PanelBoundary>
        </div>
      </div>
      <section
        id={detailsId}
        hidden={!isOpen}
        aria-label="About this session"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long description is scrolled by keys as well.
        tabIndex={0}
        className="max-h-[40dvh] shrink-0 overflow-y-auto px-4 pb-2 lg:px-6"
      >
        {isOpen && (
          <>
            <SessionDescription className="max-w-[90ch] break-words whitespace-pre-line" />
            <SessionCounts />
          </>
        )}
      </section>
    </>
  );
}

/** The most used actions as buttons, if there is space. The menu contains all actions. */
function HeaderActions() {
  const { session, isObserver } = useSession();
  const { open, resume, isResuming, openMenu } = useSessionActions();
  const isActive = session.status === "active" && !isObserver;
  return (
    <div className="flex shrink-0 items-center gap-1.5">
      {isActive && (
        <Button variant="outline" size="sm" onClick={() => open("invite")}>
          <UserPlus aria-hidden /> <span className="max-sm:sr-only">Invite</span>
        </Button>
      )}
      {isActive && session.held === null && (
        <Button variant="outline" size="sm" className="hidden md:inline-flex" onClick={() => open("hold")}>
          <Pause aria-hidden /> Hold
        </Button>
      )}
      {isActive && session.held !== null && (
        <Button
          variant="outline"
          size="sm"
          className="hidden md:inline-flex"
          disabled={isResuming}
          onClick={() => resume()}
        >
          <Play aria-hidden /> Resume
        </Button>
      )}
      {isActive && (
        <Button
          variant="outline"
          size="sm"
          className="hidden md:inline-flex"
          onClick={() => open("conclude")}
        >
          <CircleCheckBig aria-hidden /> Conclude
        </Button>
      )}
      <Button
        variant="ghost"
        size="icon"
        aria-label="More about this session"
        aria-haspopup="dialog"
        onClick={(event) => openMenu(event.currentTarget)}
      >
        <Ellipsis aria-hidden />
      </Button>
    </div>
  );
}

function StateBadge() {
  const state = toSessionState(useSession().session);
  return <Badge className={cn("font-mono tracking-wide", stateClasses[state])}>{state}</Badge>;
}

/** The number of messages that agents have posted, if it is limited. */
function MessageBudget() {
  const { session } = useSession();
  const { message_budget } = session.settings;
  if (message_budget === 0 || session.status !== "active") return null;
  return (
    <span
      className={cn(
        "shrink-0 text-sm text-muted-foreground tabular-nums",
        session.agent_messages >= message_budget && "font-medium text-warning",
      )}
      title="Messages from agents since a human last posted"
    >
      budget {session.agent_messages} / {message_budget}
    </span>
  );
}

function SessionCounts() {
  const { session } = useSession();
  return (
    <p className="flex flex-wrap gap-x-3 pt-1 text-sm text-muted-foreground tabular-nums">
      <span>{describeCount(session.teams, "team")}</span>
      <span>{describeCount(session.last_sequence, "message")}</span>
      <span>
        {session.document_version === 0 ? "no document yet" : `document v${session.document_version}`}
      </span>
      {session.closed_at !== null && (
        <span>
          closed since <TimeText at={session.closed_at} as="clock" />
        </span>
      )}
    </p>
  );
}

const stateClasses: Record<SessionState, string> = {
  OPEN: "border-success/40 text-success",
  HELD: "border-warning/50 text-warning",
  QUIET: "border-border text-muted-foreground",
  CLOSED: "border-border text-muted-foreground",
};

type SessionState = "CLOSED" | "HELD" | "QUIET" | "OPEN";

/** Returns the session's state in one word. States that stop the session take precedence. */
function toSessionState(
  session: Pick<OutputOf<"get_session">, "status" | "held" | "quiet_since">,
): SessionState {
  if (session.status === "closed") return "CLOSED";
  if (session.held !== null) return "HELD";
  return session.quiet_since === null ? "OPEN" : "QUIET";
}

function describeCount(count: number, one: string): string {
  // Avoids Intl.NumberFormat, which takes some milliseconds to initialise.
  const digits = String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
  return `${digits} ${one}${count === 1 ? "" : "s"}`;
}
