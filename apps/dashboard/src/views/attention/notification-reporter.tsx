"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { useRead } from "@/broker/use-read";
import { useAttention } from "@/components/use-attention";
import { usePreference } from "@/core/preferences/use-preference";
import { isInFront } from "@/sessions/front-session";
import { compareNotices, type Notice, toConcludedNotice, toNotice } from "./notice";

const recentlyClosed = { status: "closed", sort: "activity", limit: 20 } as const;

/** Shows notifications in only one tab of this browser. */
export function OneReporter() {
  return useHoldsTab("merkle-notifier") ? <NotificationReporter /> : null;
}

/** Returns whether this tab holds the lock with this name. When the tab closes, another tab gets the lock. */
function useHoldsTab(name: string): boolean {
  const [hasLock, setHasLock] = useState(false);
  useEffect(() => {
    if (!("locks" in navigator)) return;
    const controller = new AbortController();
    navigator.locks
      .request(name, { signal: controller.signal }, () => {
        setHasLock(true);
        return new Promise<void>((release) => controller.signal.addEventListener("abort", () => release()));
      })
      .catch(() => undefined); // The component unmounted before the lock was free.
    return () => {
      controller.abort();
      setHasLock(false);
    };
  }, [name]);
  return hasLock;
}

/** Shows a notification for each new item, and closes the notifications for resolved items. */
function NotificationReporter() {
  const [reasons] = usePreference("notifications");
  const attention = useAttention();
  const closed = useRead("list_sessions", recentlyClosed, { on: ["sessions"] });
  const router = useRouter();
  const knownNotices = useRef<ReadonlyMap<string, Notice> | null>(null);
  const shownNotifications = useRef(new Map<string, Notification>());

  useEffect(() => {
    if (!attention.data || !closed.data) return;
    const notices = [...attention.data.items.map(toNotice), ...closed.data.sessions.map(toConcludedNotice)];
    // Items that existed before this component mounted are not new.
    const { come, gone } = compareNotices(
      knownNotices.current ?? new Map(notices.map((each) => [each.id, each])),
      notices,
    );
    knownNotices.current = new Map(notices.map((each) => [each.id, each]));
    for (const { id } of gone) {
      shownNotifications.current.get(id)?.close();
      shownNotifications.current.delete(id);
    }
    for (const notice of come) {
      if (!notice.reasons.some((reason) => reasons.includes(reason)) || isInFront(notice)) continue;
      shownNotifications.current.set(
        notice.id,
        show(notice, () => router.push(notice.address)),
      );
    }
  }, [attention.data, closed.data, reasons, router]);

  useEffect(() => {
    const all = shownNotifications.current;
    return () => {
      for (const notification of all.values()) notification.close();
    };
  }, []);
  return null;
}

function show({ id, title, body }: Notice, open: () => void): Notification {
  const notification = new Notification(title, { body, tag: id });
  notification.onclick = () => {
    window.focus();
    open();
    notification.close();
  };
  return notification;
}
