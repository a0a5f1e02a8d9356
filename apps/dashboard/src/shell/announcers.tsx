"use client";

import type { Message } from "@merkle/wire";
import { useEffect } from "react";
import { useBroker } from "@/broker/use-broker";
import type { Announcement } from "@/core/announcer/announcer";
import { useAnnounce } from "@/core/announcer/announcer-provider";
import { usePerson } from "@/identity/use-person";
import { AttentionAnnouncer } from "@/views/attention/attention-announcer";

/** Announces events to screen readers while the page is visible. */
export function Announcers() {
  return (
    <>
      <FeedAnnouncer />
      <AttentionAnnouncer />
    </>
  );
}

/** Announces new messages of this page's feeds. */
export function FeedAnnouncer() {
  const broker = useBroker();
  const announce = useAnnounce();
  const { person } = usePerson();
  const myName = person?.name ?? null;
  useEffect(
    () =>
      broker.onMessagesDelivered((messages) => {
        if (document.visibilityState === "hidden") return;
        for (const message of messages) {
          void toAnnouncement(message, myName).then((announcement) => announcement && announce(announcement));
        }
      }),
    [broker, announce, myName],
  );
  return null;
}

/**
 * Creates the announcement for a message. Only asks need the message's text, so the module that extracts it loads with
 * the first ask.
 */
async function toAnnouncement(message: Message, myName: string | null): Promise<Announcement | null> {
  const { type, from, to, content } = message;
  if (type !== "chat" || from === null || from.team === myName) return null;
  const isToMe = to.some((each) => each === "@humans" || each === myName);
  if (content["kind"] !== "ask" || !isToMe) return { kind: "message", from: from.team };
  const { readMessageText } = await import("@/feed/store/message-text");
  return { kind: "ask", text: `${from.team} asks: ${readMessageText(message)}` };
}
