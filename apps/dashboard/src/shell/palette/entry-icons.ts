import { ArrowRight, Hash, ListTodo, type LucideIcon, MessagesSquare, UserRound, Zap } from "lucide-react";
import type { PaletteKind } from "@/parts/feature";

export const entryIcons: Readonly<Record<PaletteKind, LucideIcon>> = {
  session: MessagesSquare,
  person: UserRound,
  page: ArrowRight,
  action: Zap,
  task: ListTodo,
  message: Hash,
};
