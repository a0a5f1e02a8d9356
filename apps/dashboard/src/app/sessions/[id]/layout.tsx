import type { ReactNode } from "react";
import { SessionView } from "@/components/session/session-view";

export default function SessionLayout({ children }: { children: ReactNode }) {
  return <SessionView>{children}</SessionView>;
}
