import type { VNode } from "preact";
import { Redirect, Route, Router, Switch } from "wouter-preact";
import { BASE_PATH } from "./api/config.ts";
import { Frame } from "./components/Frame.tsx";
import { AboutPage } from "./pages/AboutPage.tsx";
import { ContractPage } from "./pages/ContractPage.tsx";
import { ListPage } from "./pages/ListPage.tsx";
import { NotFoundPage } from "./pages/NotFoundPage.tsx";
import { SourcePage } from "./pages/SourcePage.tsx";
import { TablePage } from "./pages/TablePage.tsx";
import { decoded, useEncodedLocation } from "./state/location.ts";

export function App(): VNode {
  return (
    <Router base={BASE_PATH} hook={useEncodedLocation}>
      <Frame>
        <Switch>
          <Route path="/">
            <Redirect to="/data" replace />
          </Route>
          <Route path="/data" component={ListPage} />
          <Route path="/data/:schema/:relation">
            {({ schema, relation }) => (
              <TablePage key={`${schema}/${relation}`} schema={decoded(schema)} relation={decoded(relation)} />
            )}
          </Route>
          <Route path="/sources/:id">{({ id }) => <SourcePage id={decoded(id)} />}</Route>
          <Route path="/contract" component={ContractPage} />
          <Route path="/about" component={AboutPage} />
          <Route component={NotFoundPage} />
        </Switch>
      </Frame>
    </Router>
  );
}
