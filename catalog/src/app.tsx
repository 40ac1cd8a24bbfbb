import type { VNode } from "preact";
import { Redirect, Route, Router, Switch } from "wouter-preact";
import { type PagePath, PAGES } from "../pages.ts";
import { BASE_PATH } from "./api/config.ts";
import { Frame } from "./components/layout/Frame.tsx";
import { AboutPage } from "./pages/AboutPage.tsx";
import { ContractPage } from "./pages/ContractPage.tsx";
import { ListPage } from "./pages/ListPage.tsx";
import { NotFoundPage } from "./pages/NotFoundPage.tsx";
import { SourcePage } from "./pages/SourcePage.tsx";
import { TablePage } from "./pages/TablePage.tsx";
import { decoded, useEncodedLocation } from "./state/location.ts";

type Parameters = Readonly<Record<string, string | undefined>>;

const VIEWS: Readonly<Record<PagePath, (parameters: Parameters) => VNode>> = {
  "/data": () => <ListPage />,
  "/data/:schema/:relation": ({ schema = "", relation = "" }) => (
    <TablePage key={`${schema}/${relation}`} schema={decoded(schema)} relation={decoded(relation)} />
  ),
  "/sources/:id": ({ id = "" }) => <SourcePage id={decoded(id)} />,
  "/contract": () => <ContractPage />,
  "/about": () => <AboutPage />,
};

/** Shows the page of the address. Each page is below the base path of the catalog. */
export function App(): VNode {
  return (
    <Router base={BASE_PATH} hook={useEncodedLocation}>
      <Frame>
        <Switch>
          <Route path="/">
            <Redirect to="/data" replace />
          </Route>
          {(Object.keys(PAGES) as PagePath[]).map((path) => (
            <Route key={path} path={path}>
              {(parameters: Parameters) => VIEWS[path](parameters)}
            </Route>
          ))}
          <Route component={NotFoundPage} />
        </Switch>
      </Frame>
    </Router>
  );
}
