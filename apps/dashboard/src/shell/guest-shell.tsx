"use client";

import type { ReactNode } from "react";
import { SignInCover } from "@/views/sign-in/sign-in-cover";
import { ObserverShell } from "./observer-shell";

/**
 * The frame for people who are not members. Pages that they may see get a read-only frame, and all other pages show the
 * sign-in.
 */
export function GuestShell({ children }: { readonly children?: ReactNode }) {
  return children === undefined ? <SignInCover /> : <ObserverShell>{children}</ObserverShell>;
}
