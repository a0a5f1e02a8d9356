"use client";

import { use } from "react";
import type { Broker } from "./broker";
import { BrokerContext, type BrokerServices } from "./broker-provider";

/** Returns the broker that served this page. The object is stable for the lifetime of the page. */
export function useBroker(): Broker {
  return useBrokerServices().broker;
}

export function useBrokerServices(): BrokerServices {
  const services = use(BrokerContext);
  if (services === null) throw new Error("useBroker is called outside of BrokerProvider.");
  return services;
}
