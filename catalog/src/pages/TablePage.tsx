import type { VNode } from "preact";
import { useConfig } from "../api/config.ts";
import { useEndpoint } from "../api/meta.ts";
import { Title } from "../components/layout/Title.tsx";
import { Pending } from "../components/shared/Pending.tsx";
import { Problem } from "../components/shared/Problem.tsx";
import { TableViewer } from "../components/table/TableViewer.tsx";
import { NotFoundPage } from "./NotFoundPage.tsx";

/** The page `/data/<schema>/<relation>`: requests the metadata of the relation and the limits of the API, which the viewer needs. */
export function TablePage({ schema, relation }: { schema: string; relation: string }): VNode {
  const config = useConfig();
  const { data, error, refetch } = useEndpoint(schema, relation);
  const endpoint = data?.rows[0];
  if (endpoint && config.data) return <TableViewer endpoint={endpoint} maxRows={config.data.limits.maxRows} />;
  const failed = error ?? config.error;
  if (!failed && data && !endpoint) return <NotFoundPage />;
  return (
    <>
      <Title name={relation} />
      {failed ? <Problem error={failed} retry={() => Promise.all([refetch(), config.refetch()])} /> : <Pending />}
    </>
  );
}
