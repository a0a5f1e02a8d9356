import type { SearchKind } from "@merkle/wire";
import {
  BookMarked,
  Database,
  FileText,
  Gavel,
  ListChecks,
  ListTodo,
  type LucideIcon,
  MessageSquare,
  MessageSquareQuote,
  MessagesSquare,
} from "lucide-react";

export const hitIcons: Readonly<Record<SearchKind, LucideIcon>> = {
  message: MessageSquare,
  decision: Gavel,
  document: FileText,
  task: ListTodo,
  memory: BookMarked,
  session: MessagesSquare,
  state: Database,
  progress: ListChecks,
  topic: MessageSquareQuote,
};
