"use client";

import type { Peer } from "@merkle/wire";
import { useEffect, useState } from "react";
import type { Signer } from "@/parts/feature";
import { useFeatures } from "@/parts/features-context";

/**
 * Returns what signs messages to the person's own agents, or null if this browser has no key. Undefined until that is
 * known, and in a session without such an agent, in which nothing is loaded.
 */
export function useSigner(peers: readonly Peer[]): Signer | null | undefined {
  const features = useFeatures();
  const [signer, setSigner] = useState<Signer | null>();
  const isNeeded = peers.some(({ own_words }) => own_words);
  useEffect(() => {
    const load = features.find(({ loadSigner }) => loadSigner)?.loadSigner;
    if (!isNeeded || !load) return;
    // In a browser that stores no keys, messages are posted unsigned.
    void load().then(async ({ openSigner }) => setSigner(await openSigner().catch(() => null)));
  }, [features, isNeeded]);
  return signer;
}
