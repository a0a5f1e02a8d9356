"use client";

import { use } from "react";
import type { Broker } from "./broker";
import { BrokerContext, type BrokerServices } from "./broker-provider";

/** The broker that served this page; the same object for as long as the page lives. */
export function useBroker(): Broker {
  return useBrokerServices().broker;
}

export function useBrokerServices(): BrokerServices {
  const services = use(BrokerContext);
  if (services === null) throw new Error("useBroker is called outside of BrokerProvider.");
  return services;
}
