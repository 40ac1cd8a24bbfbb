import { Component, type ComponentChildren } from "preact";
import { ApiError } from "../../api/errors.ts";
import { Problem } from "./Problem.tsx";

interface State {
  readonly error: Error | null;
}

/**
 * Shows an error in place of children that cannot be rendered: because of an error in their code, or because a module failed to load, e.g.
 * after a new version of the catalog was deployed. A browser loads such a module again only when the page is reloaded.
 */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, State> {
  override state: State = { error: null };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ error: new ApiError("broken", String(error)) });
  }

  override render(): ComponentChildren {
    const { error } = this.state;
    return error ? <Problem error={error} /> : this.props.children;
  }
}
