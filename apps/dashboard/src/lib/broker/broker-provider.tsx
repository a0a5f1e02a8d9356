"use client";

import { createContext, type ReactNode, useEffect, useMemo, useState } from "react";
import { forgetUnknownPerson, getPerson, onPersonChanged } from "@/lib/person/person";
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
  const [broker] = useState(
    () =>
      new PageBroker({
        credential: () => getPerson()?.credential,
        onUnknownPerson: forgetUnknownPerson,
      }),
  );
  const services = useMemo(() => ({ broker, reads: new ReadStore(broker) }), [broker]);
  useEffect(() => {
    const close = openBroker(broker);
    const stop = onPersonChanged(() => {
      broker.personChanged();
      services.reads.startAnew();
    });
    return () => {
      stop();
      close();
    };
  }, [broker, services]);
  return <BrokerContext value={services}>{children}</BrokerContext>;
}
