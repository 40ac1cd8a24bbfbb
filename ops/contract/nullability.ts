/** Which columns of a view are never null: Postgres says so of the columns of tables only. Pure. */
import { isNode, parseNodeTree, type Tree, type TreeNode } from "./nodeTree.ts";

export interface Source {
  /** Numbers (`attnum`) of the columns of a table that Postgres keeps from being null; of a view, none. */
  readonly notNull: ReadonlySet<number>;
  /** Of a view or a materialized one: its query as `pg_rewrite.ev_action`. */
  readonly query: string | undefined;
}

// Range table entries (src/include/nodes/parsenodes.h, RTEKind).
const RELATION = "0";
const SUBQUERY = "1";
const JOIN = "2";
const CTE = "6";
const GROUP = "9";

/** `count("any")` and `count(*)` (pg_proc.dat). */
const COUNTS = ["2147", "2803"];
const FIRST_OWN_OID = 16384;
/** The jsonb `null` becomes NULL when it is cast. */
const JSONB = "3802";

/**
 * Follows columns through views to where they come from. Known to be never null: a plain reference to such a column that no outer join
 * and no grouping set can turn into null; a constant; a count; a cast of these by Postgres itself; `coalesce` with one of them. Everything
 * else may be null. Postgres notes what outer joins do since version 16; of an older one every column of a view may be null.
 */
export class Nullability {
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #queries = new Map<string, TreeNode | undefined>();

  /** @param sources every relation that can be reached, by oid; one that is not there may be null throughout */
  constructor(sources: ReadonlyMap<string, Source>) {
    this.#sources = sources;
  }

  isNeverNull(oid: string, column: number): boolean {
    const source = this.#sources.get(oid);
    if (source === undefined) return false;
    if (source.query === undefined) return source.notNull.has(column);
    return this.#ofQuery(this.#queryOf(oid, source.query), column);
  }

  #queryOf(oid: string, text: string): TreeNode | undefined {
    if (!this.#queries.has(oid)) {
      const [query] = list(parseNodeTree(text));
      this.#queries.set(oid, isNode(query, "QUERY") ? query : undefined);
    }
    return this.#queries.get(oid);
  }

  #ofQuery(query: Tree | undefined, column: number): boolean {
    if (!isNode(query, "QUERY")) return false;
    if (query.fields.get("setOperations") !== null || query.fields.get("groupingSets") !== null) return false;
    const entry = list(query.fields.get("targetList"))
      .filter((item) => isNode(item, "TARGETENTRY"))
      .find(({ fields }) => fields.get("resno") === String(column));
    return this.#ofExpression(entry?.fields.get("expr"), query);
  }

  #ofExpression(tree: Tree | undefined, query: TreeNode): boolean {
    if (!isNode(tree)) return false;
    const { tag, fields } = tree;
    switch (tag) {
      case "VAR":
        return isPlain(fields) && this.#ofReference(fields, query);
      case "CONST":
        return fields.get("constisnull") === "false";
      case "AGGREF":
        return COUNTS.includes(word(fields.get("aggfnoid")));
      case "RELABELTYPE":
      case "COERCEVIAIO":
        return this.#ofExpression(fields.get("arg"), query);
      case "FUNCEXPR":
        return isOwnCast(fields) && this.#ofExpression(list(fields.get("args"))[0], query);
      case "COALESCE":
      case "COALESCEEXPR":
        return list(fields.get("args")).some((item) => this.#ofExpression(item, query));
      default:
        return false;
    }
  }

  #ofReference(variable: TreeNode["fields"], query: TreeNode): boolean {
    const column = Number(variable.get("varattno"));
    const entry = list(query.fields.get("rtable"))[Number(variable.get("varno")) - 1];
    if (!isNode(entry, "RANGETBLENTRY")) return false;
    const { fields } = entry;
    switch (fields.get("rtekind")) {
      case RELATION:
        return this.isNeverNull(word(fields.get("relid")), column);
      case SUBQUERY:
        return this.#ofQuery(fields.get("subquery"), column);
      case JOIN:
        return this.#ofExpression(list(fields.get("joinaliasvars"))[column - 1], query);
      case GROUP:
        return this.#ofExpression(list(fields.get("groupexprs"))[column - 1], query);
      case CTE:
        return fields.get("ctelevelsup") === "0" && this.#ofQuery(cteOf(query, fields.get("ctename")), column);
      default:
        return false;
    }
  }
}

/** Of this query and not of one around it, and not on the side of an outer join that may be missing (`(b)` is the empty set). */
function isPlain(variable: TreeNode["fields"]): boolean {
  const nulling = variable.get("varnullingrels");
  return variable.get("varlevelsup") === "0" && list(nulling).length === 1 && list(nulling)[0] === "b";
}

/** Written as a cast or made by Postgres as one (CoercionForm 1 and 2), and by a function that came with Postgres. */
function isOwnCast(call: TreeNode["fields"]): boolean {
  const argument = list(call.get("args"))[0];
  const fromJson =
    isNode(argument) && [...argument.fields].some(([name, value]) => name.endsWith("type") && value === JSONB);
  return Number(call.get("funcid")) < FIRST_OWN_OID && ["1", "2"].includes(word(call.get("funcformat"))) && !fromJson;
}

function cteOf(query: TreeNode, name: Tree | undefined): Tree | undefined {
  const found = list(query.fields.get("cteList"))
    .filter((item) => isNode(item, "COMMONTABLEEXPR"))
    .find(({ fields }) => fields.get("ctename") === name);
  return found?.fields.get("ctequery");
}

function list(tree: Tree | undefined): readonly Tree[] {
  return Array.isArray(tree) ? (tree as readonly Tree[]) : [];
}

function word(tree: Tree | undefined): string {
  return typeof tree === "string" ? tree : "";
}
