import { Component, type ComponentChildren } from "preact";
import { ApiError } from "../../api/errors.ts";
import { Problem } from "./Problem.tsx";

interface State {
  readonly error: Error | null;
}

/**
 * Shows an error in place of what cannot be rendered: a part of the page that is not loaded, as after a new version of the catalog or without a
 * connection, or an error in its code. Only a reload loads a module again that failed to load.
 */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, State> {
  override state: State = { error: null };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ error: new ApiError("broken", String(error)) });
  }

  override render(): ComponentChildren {
    const { error } = this.state;
    return error ? <Problem error={error} retry={() => location.reload()} /> : this.props.children;
  }
}
