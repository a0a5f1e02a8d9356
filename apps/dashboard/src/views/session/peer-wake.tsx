"use client";

import type { Peer, WakePreference } from "@merkle/wire";
import { useAction } from "@/broker/use-action";
import { useCall } from "@/broker/use-call";
import { RefusalNote } from "@/components/refusal-note";
import { useIsGuest } from "@/identity/use-person";
import { useSession } from "@/sessions/session-context";
import { Select } from "@/ui/select";

const choices: readonly (readonly [WakePreference, string])[] = [
  ["everything", "any chat, after a pause"],
  ["addressed", "only what is addressed to it"],
];

/** What wakes an agent while it is idle. The agent's person can change it. */
export function PeerWake({ peer }: { peer: Peer }) {
  const { session, isObserver } = useSession();
  const isGuest = useIsGuest();
  const call = useCall();
  const { run, isPending, refusal } = useAction();
  const isFixed = isObserver || isGuest || session.status !== "active" || peer.left_at !== null;
  if (isFixed) return choices.find(([wake]) => wake === peer.wake)?.[1];

  function choose(wake: WakePreference): void {
    const { session_id } = session;
    void run(async (signal) => {
      await call("set_wake", { session_id, peer_id: peer.peer_id, wake }, { signal });
    });
  }

  return (
    <>
      <Select
        aria-label={`What wakes ${peer.name ?? peer.team}`}
        className="h-7 max-w-full text-sm"
        value={peer.wake}
        disabled={isPending}
        onChange={choose}
        options={choices}
      />
      <RefusalNote refusal={refusal} />
    </>
  );
}
