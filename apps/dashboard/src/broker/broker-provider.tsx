"use client";

import { createContext, type ReactNode, useEffect, useState } from "react";
import { forgetUnknownPerson, getPerson, onPersonChanged } from "@/identity/person";
import { isSignInPage } from "@/identity/sign-in-pages";
import type { Broker } from "./broker";
import { PageBroker } from "./page-broker";
import { ReadStore } from "./read-store";
import { onSignIn } from "./sign-in-channel";

export interface BrokerServices {
  readonly broker: Broker;
  readonly reads: ReadStore;
}

export const BrokerContext = createContext<BrokerServices | null>(null);

/** Gives everything below it the broker that served this page. The connection is made once the page runs in a browser. */
export function BrokerProvider({ children }: { children: ReactNode }) {
  const [services] = useState(startServices);
  const { broker } = services;
  useEffect(() => {
    // On a sign-in page there is nothing to request; the next page connects.
    const close = isSignInPage(location.pathname) ? undefined : keepConnected(broker);
    const stop = onPersonChanged(() => {
      broker.personChanged();
      services.reads.startAnew();
    });
    return () => {
      stop();
      close?.();
    };
  }, [broker, services]);
  return <BrokerContext value={services}>{children}</BrokerContext>;
}

function startServices() {
  const broker: PageBroker = new PageBroker({
    // An observer has no credential in the session, even if a person used this browser before.
    openConnection: async (events) => (await import("./connection")).openConnection(events),
    credential: () => (broker.admitted?.as.kind === "observer" ? undefined : getPerson()?.credential),
    onUnknownPerson: forgetUnknownPerson,
    onAnew: () => reads.startAnew(),
  });
  const reads = new ReadStore(broker);
  return { broker, reads };
}

/** Connects the page to the broker that served it, and keeps it connected until the function that is returned is called. */
function keepConnected(broker: PageBroker): () => void {
  const closed = new AbortController();
  const { signal } = closed;
  broker.connect();
  onSignIn(() => broker.startAnew(), signal);
  // A page that is left may come back as it was, and then has nothing that was kept for it.
  window.addEventListener("pagehide", () => broker.disconnect(), { signal });
  window.addEventListener("pageshow", ({ persisted }) => persisted && broker.connect(), { signal });
  // After sleep a lost connection goes unnoticed, and pauses between attempts may be long.
  const retry = () => document.visibilityState === "visible" && broker.retryNow();
  document.addEventListener("visibilitychange", retry, { signal });
  window.addEventListener("online", retry, { signal });
  return () => {
    closed.abort();
    broker.disconnect();
  };
}
