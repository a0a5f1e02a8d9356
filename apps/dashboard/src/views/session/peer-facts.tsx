import type { Peer } from "@merkle/wire";
import { beyondWakingText, isBeyondWaking } from "@merkle/wire/text";
import type { ReactNode } from "react";
import { PageLink } from "@/components/page-link";
import { TimeText } from "@/components/time-text";
import { isBlocked, isDnd } from "@/sessions/roster-rows";
import { useSession } from "@/sessions/session-context";
import { StatusMark } from "@/sessions/status-mark";
import { PeerWake } from "./peer-wake";

/** A peer: the status and work that it reports, and the status that the broker observed. `isAlone`: the team has no other peers. */
export function PeerFacts({ peer, isAlone }: { peer: Peer; isAlone: boolean }) {
  const { session } = useSession();
  const { declared, summary, summary_at: summaryAt, name, role } = peer;
  return (
    <div className="grid gap-1 text-sm">
      {(!isAlone || name !== null || role !== null) && (
        <p className="flex min-w-0 flex-wrap items-center gap-x-1.5">
          {!isAlone && <StatusMark status={peer.presence} isBlocked={isBlocked(peer)} isDnd={isDnd(peer)} />}
          <span dir="auto" className="font-medium break-words">
            {name ?? "unnamed peer"}
          </span>
          {role && (
            <span dir="auto" className="break-words text-muted-foreground">
              {role}
            </span>
          )}
          {peer.left_at !== null && (
            <span className="text-muted-foreground">
              left <TimeText at={peer.left_at} />
            </span>
          )}
        </p>
      )}
      {declared && (
        <p className={isBlocked(peer) ? "text-danger" : undefined}>
          {declaredLabels[declared.status]} <TimeText at={declared.at} />
          {declared.reason && (
            <>
              {": "}
              <bdi className="break-words">{declared.reason}</bdi>
            </>
          )}
        </p>
      )}
      {summaryAt && (
        <p>
          <bdi className="break-words">{summary}</bdi>{" "}
          <span className="text-muted-foreground">
            (<TimeText at={summaryAt} />)
          </span>
        </p>
      )}
      <dl className="grid grid-cols-[fit-content(50%)_minmax(0,1fr)] gap-x-3 text-muted-foreground">
        {peer.groups.length > 0 && (
          <Fact name="Groups">
            <span dir="auto" className="break-words">
              {peer.groups.map((group) => `@${group.name}${group.role ? ` (${group.role})` : ""}`).join(", ")}
            </span>
          </Fact>
        )}
        <Fact name={peer.kind !== "agent" ? "Last seen" : "Last checked for messages"}>
          <LastPoll peer={peer} />
        </Fact>
        <Fact name="Read">
          {peer.last_read > 0 ? (
            <PageLink
              className="text-link hover:underline"
              href={`/sessions/${session.slug}?m=${peer.last_read}`}
              scroll={false}
            >
              up to #{peer.last_read}
            </PageLink>
          ) : (
            "nothing yet"
          )}
        </Fact>
        {peer.kind === "agent" && (
          <Fact name="Woken by">
            <PeerWake peer={peer} />
            {peer.connected && isBeyondWaking(peer.capabilities?.wake ?? [], declared?.status) && (
              <p>When idle, it {beyondWakingText}.</p>
            )}
          </Fact>
        )}
        {peer.capabilities?.model && <Fact name="Model">{peer.capabilities.model}</Fact>}
        {peer.machine && (
          <Fact name="Machine">
            <span dir="auto" className="break-words">
              {peer.machine}
            </span>
          </Fact>
        )}
      </dl>
    </div>
  );
}

const declaredLabels = {
  blocked: "Blocked (reported)",
  dnd: "Do not disturb",
  working: "Working (reported)",
  idle: "Idle (reported)",
} as const;

function LastPoll({ peer }: { peer: Peer }) {
  if (peer.kind !== "agent") return <TimeText at={peer.last_seen_at} />;
  if (peer.polling) return "waiting for messages";
  const lastPoll = peer.last_polled_at === null ? "never" : <TimeText at={peer.last_polled_at} />;
  return (
    <>
      {lastPoll}
      {peer.connected && ", connected"}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="min-w-0 text-foreground tabular-nums">{children}</dd>
    </>
  );
}
