"use client";

import { createContext, type ReactNode, useEffect, useState } from "react";
import { loadModule } from "@/core/load-module";
import { clearUnknownPerson, findPerson, onPersonChanged } from "@/identity/person";
import { isSignInPage } from "@/identity/sign-in-pages";
import type { Broker } from "./broker";
import { PageBroker } from "./page-broker";
import { ReadStore } from "./read-store";
import { onSignIn } from "./sign-in-channel";

export interface BrokerServices {
  readonly broker: Broker;
  readonly reads: ReadStore;
}

const loadConnection = () => import("./connection");

// Nothing can be read before the connection's module has loaded, so it loads while React hydrates the page.
if (typeof window !== "undefined" && !isSignInPage(location.pathname))
  loadConnection().catch(() => undefined);

export const BrokerContext = createContext<BrokerServices | null>(null);

/** Provides the connection to the broker that served this page. It connects once the page runs in a browser. */
export function BrokerProvider({ children }: { children: ReactNode }) {
  const [services] = useState(startServices);
  const { broker } = services;
  useEffect(() => {
    // Sign-in pages need no connection. The page that opens after the sign-in connects.
    const close = isSignInPage(location.pathname) ? undefined : keepConnected(broker);
    const stop = onPersonChanged(() => {
      broker.refreshCredential();
      services.reads.restart();
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
    // An observer has no credential in the session, even if someone has joined from this browser before.
    openConnection: async (events) => (await loadModule(loadConnection)).openConnection(events),
    getCredential: () => (broker.admitted?.as.kind === "observer" ? undefined : findPerson()?.credential),
    onUnknownPerson: clearUnknownPerson,
    onRestart: () => reads.restart(),
  });
  const reads = new ReadStore(broker);
  return { broker, reads };
}

/** Connects the page to its broker and keeps it connected until the returned function is called. */
function keepConnected(broker: PageBroker): () => void {
  const closed = new AbortController();
  const { signal } = closed;
  broker.connect();
  onSignIn(() => broker.restart(), signal);
  // The browser may restore this page from its back/forward cache. Its connection is closed by then and must be opened again.
  window.addEventListener("pagehide", () => broker.disconnect(), { signal });
  window.addEventListener("pageshow", ({ persisted }) => persisted && broker.connect(), { signal });
  // After the computer has slept, a lost connection may go unnoticed, and the next retry may be a long time away.
  const retry = () => document.visibilityState === "visible" && broker.retryNow();
  document.addEventListener("visibilitychange", retry, { signal });
  window.addEventListener("online", retry, { signal });
  return () => {
    closed.abort();
    broker.disconnect();
  };
}
