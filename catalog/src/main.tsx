import { QueryClient, QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { App } from "./app.tsx";
import { TextProvider } from "./i18n/text.tsx";
import "@picocss/pico/css/pico.min.css";
import "./style.css";
import "./list.css";
import "./terms.css";
import "./viewer.css";

const queries = new QueryClient({
  defaultOptions: {
    // The client of the API has its own retries. Responses are cached for a minute.
    queries: {
      retry: false,
      staleTime: 60_000,
      refetchOnWindowFocus: false,
      networkMode: "always",
      // Structural sharing would copy the numbers of text/json.ts, and change them.
      structuralSharing: false,
    },
  },
});

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no element #app");
// The text of index.html for a missing script, which Preact would keep.
root.replaceChildren();
render(
  <QueryClientProvider client={queries}>
    <TextProvider>
      <App />
    </TextProvider>
  </QueryClientProvider>,
  root,
);
