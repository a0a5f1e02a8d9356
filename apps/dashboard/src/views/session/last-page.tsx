import type { ReactNode } from "react";
import { TimeText } from "@/components/time-text";
import { describeSpan } from "@/core/time/describe-span";
import { HumanBadge } from "@/identity/human-badge";
import { toTeamColour } from "@/sessions/team-colour";
import { TeamMark } from "@/sessions/team-mark";
import { showHidden } from "@/text/markdown/hidden-characters";
import { MarkdownText } from "@/text/markdown/markdown-text";

/** The outcome of a session. */
export interface SessionOutcome {
  readonly title: string;
  readonly description: string;
  readonly createdAt: string;
  /** Null while the session is open. */
  readonly closedAt: string | null;
  readonly closedBy: string | null;
  readonly messages: number;
  readonly documentVersion: number;
  /** The conclusion as markdown. Null while it loads. */
  readonly conclusion: string | null;
  /** Teams in the order in which they joined. */
  readonly teams: readonly OutcomeTeam[];
  /** Decisions in the order in which they were posted. */
  readonly decisions: readonly OutcomeDecision[];
  /** Whether there are older decisions that the page does not show. */
  readonly hasOlderDecisions: boolean;
}

export interface OutcomeTeam {
  readonly teamId: string;
  readonly name: string;
  readonly kind: "agent" | "human" | "guest";
  readonly colour: number;
  /** Number of messages that the team posted. Null if unknown. */
  readonly messages: number | null;
}

export interface OutcomeDecision {
  readonly sequence: number;
  readonly by: string;
  readonly at: string;
  readonly text: string;
}

export interface LastPageProps {
  readonly outcome: SessionOutcome;
  /** Renders a link to a message. */
  readonly renderMessageLink: (sequence: number) => ReactNode;
  /** Buttons, which are not printed. */
  readonly actions: ReactNode;
  /** A drawing in the top corner. */
  readonly mark: ReactNode;
  /** The signature and the result of checking it. False to leave this section out. */
  readonly seal: ReactNode;
  /** Content below everything else. */
  readonly children?: ReactNode;
}

/** The summary of a session: its conclusion, decisions, participants and signature. */
export function LastPage({ outcome, renderMessageLink, actions, mark, seal, children }: LastPageProps) {
  const { title, description, conclusion, decisions, hasOlderDecisions } = outcome;
  return (
    <article className="mx-auto grid w-full max-w-3xl grid-cols-[minmax(0,1fr)] gap-10 px-5 py-8 md:px-8 md:py-14 print:max-w-none print:gap-7 print:p-0">
      <header className="grid gap-4">
        <div className="flex items-start justify-between gap-6">
          <p className="pt-1 text-sm font-medium tracking-wide text-muted-foreground">
            <Times outcome={outcome} />
          </p>
          {mark}
        </div>
        <h1
          dir="auto"
          className="-mt-6 max-w-[22ch] text-3xl leading-tight font-semibold tracking-tight text-balance [overflow-wrap:anywhere] md:text-4xl md:leading-tight print:max-w-none print:text-3xl"
        >
          {showHidden(title)}
        </h1>
        {description !== "" && (
          <p
            dir="auto"
            className="max-w-[64ch] text-lg whitespace-pre-line text-muted-foreground [overflow-wrap:anywhere]"
          >
            {showHidden(description)}
          </p>
        )}
        <Facts outcome={outcome} />
        <div className="flex flex-wrap gap-2 pt-1 print:hidden">{actions}</div>
      </header>
      {conclusion !== null && conclusion.trim() !== "" && (
        <Part title="Conclusion">
          <MarkdownText text={conclusion} variant="document" className="max-w-[72ch] text-lg leading-7" />
        </Part>
      )}
      {decisions.length > 0 && (
        <Part title={decisions.length === 1 ? "Decision" : `${decisions.length} decisions`}>
          <ol className="grid gap-4">
            {decisions.map((decision) => (
              <Decision
                key={decision.sequence}
                decision={decision}
                link={renderMessageLink(decision.sequence)}
              />
            ))}
          </ol>
          {hasOlderDecisions && (
            <p className="mt-3 text-sm text-muted-foreground">Earlier decisions are in the feed.</p>
          )}
        </Part>
      )}
      <Part title="Participants">
        <Teams teams={outcome.teams} />
      </Part>
      {seal !== false && <Part title="Seal">{seal}</Part>}
      {children}
    </article>
  );
}

/** A section of the summary. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0 border-t pt-5">
      <h2 className="mb-3 break-after-avoid text-sm font-semibold tracking-wide text-muted-foreground">
        {title}
      </h2>
      {children}
    </section>
  );
}

function Times({ outcome: { createdAt, closedAt } }: { readonly outcome: SessionOutcome }) {
  if (closedAt === null) {
    return (
      <>
        Open since <Day at={createdAt} />
      </>
    );
  }
  return (
    <>
      Concluded <Day at={closedAt} />
    </>
  );
}

/** A date with its year, because a printed page may be read years later. */
function Day({ at }: { readonly at: string }) {
  const text = new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  return (
    <time dateTime={at} suppressHydrationWarning>
      {text}
    </time>
  );
}

function Facts({ outcome }: { readonly outcome: SessionOutcome }) {
  const { createdAt, closedAt, closedBy, messages, documentVersion, teams } = outcome;
  const facts = [
    closedAt !== null && `lasted ${describeSpan(Date.parse(closedAt) - Date.parse(createdAt))}`,
    formatCount(teams.length, "team"),
    formatCount(messages, "message"),
    documentVersion > 0 && formatCount(documentVersion, "version", "of the document"),
  ].filter((fact) => fact !== false);
  return (
    <p className="flex flex-wrap items-baseline gap-x-2 text-muted-foreground tabular-nums">
      {closedBy !== null && (
        <span>
          by <bdi className="font-medium text-foreground">{showHidden(closedBy)}</bdi>
        </span>
      )}
      {facts.map((fact, index) => (
        <span key={fact}>
          {(index > 0 || closedBy !== null) && <span aria-hidden>· </span>}
          {fact}
        </span>
      ))}
    </p>
  );
}

function Decision({ decision, link }: { readonly decision: OutcomeDecision; readonly link: ReactNode }) {
  const { by, at, text } = decision;
  return (
    <li className="grid grid-cols-[0.75rem_minmax(0,1fr)] gap-x-3 break-inside-avoid">
      <span aria-hidden className="mt-[0.4rem] size-2 rounded-[2px] bg-success [print-color-adjust:exact]" />
      <div className="min-w-0">
        <MarkdownText text={text} variant="document" className="font-medium" />
        <p className="mt-0.5 text-sm text-muted-foreground tabular-nums">
          <bdi>{showHidden(by)}</bdi> · <TimeText at={at} as="clock" /> · {link}
        </p>
      </div>
    </li>
  );
}

/** The teams, each with a bar for its number of messages. */
function Teams({ teams }: { readonly teams: readonly OutcomeTeam[] }) {
  const messagesMax = Math.max(1, ...teams.map(({ messages }) => messages ?? 0));
  if (teams.length === 0) return <p className="text-muted-foreground">No one.</p>;
  return (
    <ul className="grid gap-2 break-inside-avoid">
      {teams.map(({ teamId, name, kind, colour, messages }) => (
        <li
          key={teamId}
          className="grid grid-cols-[minmax(0,14rem)_minmax(0,1fr)] items-center gap-x-4 break-inside-avoid max-md:grid-cols-[minmax(0,10rem)_minmax(0,1fr)]"
        >
          <span className="flex min-w-0 items-center gap-2">
            <TeamMark name={name} colour={colour} />
            <bdi className="truncate">{showHidden(name)}</bdi>
            <HumanBadge kind={kind} />
          </span>
          <span className="flex min-w-0 items-center gap-2 text-sm text-muted-foreground tabular-nums">
            {/* An SVG in the text colour also appears in print, where backgrounds are left out. */}
            <svg aria-hidden viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 min-w-0 flex-1">
              {messages !== null && messages > 0 && (
                <rect
                  width={Math.max(1, (messages / messagesMax) * 100)}
                  height="6"
                  rx="0.5"
                  fill="currentColor"
                  className={toTeamColour(colour).className}
                />
              )}
            </svg>
            <span className="w-20 shrink-0 text-end">
              {messages !== null && formatCount(messages, "message")}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function formatCount(number: number, one: string, rest = ""): string {
  return `${number.toLocaleString("en-GB")} ${number === 1 ? one : `${one}s`}${rest && ` ${rest}`}`;
}
