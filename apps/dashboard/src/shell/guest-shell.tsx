"use client";

import type { ReactNode } from "react";
import { SignInCover } from "@/views/sign-in/sign-in-cover";
import { OnlookerShell } from "./onlooker-shell";

/** The frame for those who are no members: around a page that they may look at, that they look on; else the way in. */
export function GuestShell({ children }: { readonly children?: ReactNode }) {
  return children === undefined ? <SignInCover /> : <OnlookerShell>{children}</OnlookerShell>;
}
