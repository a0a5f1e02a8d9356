"use client";

import { Component, type ReactNode } from "react";
import { Alert, AlertDescription, AlertTitle } from "@/ui/alert";
import { Button } from "@/ui/button";

interface PanelBoundaryProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Shows an error instead of a panel that failed to render. React catches such errors only in class components. */
export class PanelBoundary extends Component<PanelBoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <Alert className="m-3">
        <AlertTitle>{this.props.title} couldn't be shown.</AlertTitle>
        <AlertDescription className="flex flex-wrap items-center justify-between gap-2">
          <span className="break-words">{String(this.state.error)}</span>
          <Button variant="outline" size="sm" onClick={() => this.setState({ error: null })}>
            Try again
          </Button>
        </AlertDescription>
      </Alert>
    );
  }
}
