"use client";

import { type ComponentType, createContext, use } from "react";
import type { Feature } from "./feature";

/** The features of this dashboard, in the order in which their parts are shown. */
export const FeaturesContext = createContext<readonly Feature[]>([]);

export function useFeatures(): readonly Feature[] {
  return use(FeaturesContext);
}

type Given<Props> = object extends Props ? { readonly given?: Props } : { readonly given: Props };

type PartsProps<Props> = Given<Props> & {
  readonly select: (feature: Feature) => ComponentType<Props> | undefined;
};

/** Renders the components that features provide for one place on a page, all with the same props. */
export function Parts<Props extends object>({ select, given }: PartsProps<Props>) {
  return useFeatures().map((feature, index) => {
    const Part = select(feature);
    // biome-ignore lint/suspicious/noArrayIndexKey: the list of features never changes.
    return Part && <Part key={index} {...(given as Props)} />;
  });
}

/** Returns whether any feature provides a component for one place on a page. */
export function useHasPart(select: (feature: Feature) => unknown): boolean {
  return useFeatures().some((feature) => select(feature) !== undefined);
}
