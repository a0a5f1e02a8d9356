"use client";

import type { OutputOf } from "@merkle/wire";
import { X } from "lucide-react";
import { useCallback, useEffect, useRef } from "react";
import type { ReadResult } from "@/broker/use-read";
import { Logo } from "@/components/logo";
import { TimeText } from "@/components/time-text";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { useAtNow } from "@/core/time/use-now";
import { useMediaQuery } from "@/core/use-media-query";
import { toTeamColour } from "@/sessions/team-colour";
import { showHidden } from "@/text/markdown/hidden-characters";
import { AgentCards } from "./agent-cards";
import { AgentCounts } from "./agent-counts";
import { AgentMap, mapAgentsMax } from "./agent-map";
import { findNeed, isListed } from "./agent-state";
import { describeActivity, describeWait, formatName } from "./agent-words";

export interface AgentWallProps {
  readonly read: ReadResult<OutputOf<"list_agents">>;
  readonly onLeave: () => void;
}

const namedMax = 4;

/**
 * The view of the agents for a wall screen. It is dark and large, and shows only the map and the agents that need a
 * human.
 */
export function AgentWall({ read: { data, problem }, onLeave }: AgentWallProps) {
  useShortcut("Escape", onLeave, { label: "Exit wall view", group: "Agents" });
  useStaysAwake();
  const box = useAlone();
  const isTall = useMediaQuery("(orientation: portrait)");
  const agents = data?.agents.filter(isListed) ?? [];
  const agentsInNeed = agents.filter((agent) => findNeed(agent) === "human");
  return (
    <div ref={box} className="dark agent-wall fixed inset-0 z-50 flex flex-col bg-background text-foreground">
      <header className="flex items-center gap-4 px-[3vw] pt-[3vh]">
        <Logo />
        <h1 className="text-[clamp(1.25rem,2.4vw,3rem)] leading-tight font-semibold">
          {data?.agents.length === 0 ? "No agents" : <AgentCounts agents={data?.agents ?? []} />}
        </h1>
        <Clock />
        <button
          type="button"
          onClick={onLeave}
          title="Exit wall view  Esc"
          className="grid size-11 shrink-0 place-items-center rounded-full text-muted-foreground opacity-40 hover:bg-raised hover:opacity-100 focus-visible:opacity-100"
        >
          <X aria-hidden className="size-5" />
          <span className="sr-only">Exit wall view</span>
        </button>
      </header>
      {problem && (
        <p role="status" className="px-[3vw] text-lg text-warning">
          Showing the last loaded data. {problem.detail}
        </p>
      )}
      <div className="min-h-0 flex-1 overflow-y-auto p-[2vw]">
        {agents.length > mapAgentsMax && (
          <AgentCards agents={agents} className="text-[clamp(1rem,1.3vw,1.75rem)]" />
        )}
        {agents.length > 0 && agents.length <= mapAgentsMax && (
          <AgentMap
            isWall
            agents={agents}
            talk={data?.talk ?? []}
            aspect={isTall ? 0.7 : 2}
            className="h-full"
          />
        )}
      </div>
      {agentsInNeed.length > 0 && (
        <ul
          aria-label="Agents that need you"
          className="flex flex-wrap gap-x-[3vw] gap-y-4 border-t px-[3vw] py-[2.5vh]"
        >
          {agentsInNeed.slice(0, namedMax).map((agent) => (
            <li key={agent.peer_id} className="grid min-w-0 flex-1 basis-72 gap-1">
              <p className="flex items-baseline gap-3 text-[clamp(1rem,1.3vw,1.75rem)] leading-snug">
                <bdi className={`font-semibold ${toTeamColour(agent.colour).className}`}>
                  {showHidden(formatName(agent))}
                </bdi>
                <span className="text-muted-foreground">
                  {agent.waits[0] ? `waits for ${describeWait(agent.waits[0])}` : "is blocked"}{" "}
                  <TimeText at={describeActivity(agent).since} />
                </span>
              </p>
              <p dir="auto" className="line-clamp-2 text-[clamp(1rem,1.3vw,1.75rem)] leading-snug">
                {showHidden(describeActivity(agent).text)}
              </p>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Clock() {
  const time = useAtNow(useCallback((now: number) => new Date(now).toTimeString().slice(0, 5), []));
  return (
    <time className="ml-auto text-[clamp(1.25rem,2.4vw,3rem)] leading-tight font-light text-muted-foreground tabular-nums">
      {time}
    </time>
  );
}

/** Makes the rest of the page inert while the wall view is shown. */
function useAlone() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const backgroundElements = [...document.querySelectorAll<HTMLElement>("nav, a[href='#content']")];
    for (const element of backgroundElements) element.inert = true;
    return () => {
      for (const element of backgroundElements) element.inert = false;
    };
  }, []);
  return box;
}

/** Keeps the screen on, if the browser supports it. */
function useStaysAwake(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    let isUnmounted = false;
    navigator.wakeLock?.request("screen").then(
      (sentinel) => {
        if (isUnmounted) void sentinel.release();
        else lock = sentinel;
      },
      // If the lock is refused, the screen may turn off.
      () => undefined,
    );
    return () => {
      isUnmounted = true;
      void lock?.release();
    };
  }, []);
}
