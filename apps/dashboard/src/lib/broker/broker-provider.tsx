"use client";

import { createContext, type ReactNode, useEffect, useState } from "react";
import { forgetUnknownPerson, getPerson, onPersonChanged } from "@/lib/person/person";
import { isDoorPage } from "@/lib/sign-in/door-pages";
import type { Broker } from "./broker";
import { openBroker } from "./open-broker";
import { PageBroker } from "./page-broker";
import { ReadStore } from "./read-store";

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
    // Who is not let in yet has nothing to ask; the page that comes after that one connects.
    const close = isDoorPage(location.pathname) ? undefined : openBroker(broker);
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
    // An onlooker is nobody in the session, whoever used this browser before.
    credential: () => (broker.admitted?.as.kind === "observer" ? undefined : getPerson()?.credential),
    onUnknownPerson: forgetUnknownPerson,
    onAnew: () => reads.startAnew(),
  });
  const reads = new ReadStore(broker);
  return { broker, reads };
}
