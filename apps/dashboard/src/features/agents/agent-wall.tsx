"use client";

import type { Agent, OutputOf } from "@merkle/wire";
import { X } from "lucide-react";
import { useCallback, useEffect, useRef } from "react";
import type { ReadResult } from "@/broker/use-read";
import { Logo } from "@/components/logo";
import { TimeText } from "@/components/time-text";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { useAtNow } from "@/core/time/use-now";
import { useMediaQuery } from "@/core/use-media-query";
import { cn } from "@/core/utils";
import { toTeamColour } from "@/sessions/team-colour";
import { showHidden } from "@/text/markdown/hidden-characters";
import { AgentCards } from "./agent-cards";
import { AgentCounts } from "./agent-counts";
import { AgentMap, mapAgentsMax } from "./agent-map";
import { hasAskedHuman, isListed } from "./agent-state";
import { describeActivity, formatName } from "./agent-words";

export interface AgentWallProps {
  readonly read: ReadResult<OutputOf<"list_agents">>;
  readonly onLeave: () => void;
}

/**
 * The view of the agents for a wall screen. It is dark and shows the agents that need a human in large letters, and
 * below them the map.
 */
export function AgentWall({ read: { data, problem }, onLeave }: AgentWallProps) {
  useShortcut("Escape", onLeave, { label: "Exit wall view", group: "Agents" });
  useStaysAwake();
  const box = useAlone();
  const isTall = useMediaQuery("(orientation: portrait)");
  const agents = data?.agents.filter(isListed) ?? [];
  const askingAgents = agents.filter(hasAskedHuman);
  const agentsInNeed = [
    ...askingAgents.filter(({ presence }) => presence !== "disconnected"),
    ...askingAgents.filter(({ presence }) => presence === "disconnected"),
  ];
  return (
    <div ref={box} className="dark agent-wall fixed inset-0 z-50 flex flex-col bg-background text-foreground">
      <header className="flex items-center gap-4 px-[3vw] pt-[3vh]">
        <Logo />
        <h1 className="text-[max(1.25rem,2.4vw)] leading-tight font-semibold">
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
      {agentsInNeed.length > 0 && <NeedList agents={agentsInNeed} />}
      <div className="min-h-0 flex-1 overflow-y-auto p-[2vw]">
        {agents.length > mapAgentsMax && (
          <AgentCards agents={agents} className="text-[clamp(1rem,1.3vw,3rem)] leading-tight" />
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
    </div>
  );
}

/**
 * The agents that are blocked or have asked a human. Their letters are 3.2 % of the screen's width or more: on a screen 1.2 m wide that is 4 cm, which is
 * readable from five metres.
 */
function NeedList({ agents }: { readonly agents: readonly Agent[] }) {
  const shownMax = 3;
  return (
    <div className="border-b px-[3vw] py-[2vh] text-[max(2rem,3.2vw)] leading-tight">
      <ul aria-label="Agents that have asked you" className="grid gap-[2vh]">
        {agents.slice(0, shownMax).map((agent) => (
          <li key={agent.peer_id} className="min-w-0">
            <p className="flex items-baseline gap-[1.5vw]">
              <bdi className={`truncate font-semibold ${toTeamColour(agent.colour).className}`}>
                {showHidden(formatName(agent))}
              </bdi>
              <span className="shrink-0 text-muted-foreground">
                {agent.declared?.status === "blocked" ? "is blocked" : "asks"}{" "}
                <TimeText at={describeActivity(agent).since} />
                {agent.presence === "disconnected" && ", offline"}
              </span>
            </p>
            <p
              dir="auto"
              className={cn("[overflow-wrap:anywhere]", agents.length > 1 ? "truncate" : "line-clamp-3")}
            >
              {showHidden(describeActivity(agent).text)}
            </p>
          </li>
        ))}
      </ul>
      {agents.length > shownMax && (
        <p className="mt-[2vh] text-warning">{`${agents.length - shownMax} more`}</p>
      )}
    </div>
  );
}

function Clock() {
  const time = useAtNow(useCallback((now: number) => new Date(now).toTimeString().slice(0, 5), []));
  return (
    <time className="ml-auto text-[max(1.25rem,2.4vw)] leading-tight font-light text-muted-foreground tabular-nums">
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
