/** Reads `pg_node_tree`, the form in which Postgres keeps the query of a view (src/backend/nodes/read.c). Pure. */

/** `<>` is null, a word stays text, a list becomes an array; a value of several words becomes an array as well. */
export type Tree = null | string | readonly Tree[] | TreeNode;

export interface TreeNode {
  /** E.g. `QUERY`. */
  readonly tag: string;
  readonly fields: ReadonlyMap<string, Tree>;
}

const TOKEN = /[(){}]|(?:\\[^]|[^\s(){}\\])+/g;

/** @throws Error on a text that Postgres would not write */
export function parseNodeTree(text: string): Tree {
  const reader = new Reader(text.match(TOKEN) ?? []);
  const tree = reader.value();
  reader.expectEnd();
  return tree;
}

export function isNode(tree: Tree | undefined, tag?: string): tree is TreeNode {
  return typeof tree === "object" && tree !== null && "tag" in tree && (tag === undefined || tree.tag === tag);
}

class Reader {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  value(): Tree {
    const token = this.#take();
    if (token === "(") return this.#list();
    if (token === "{") return this.#node();
    if (token === ")" || token === "}") throw new Error(`node tree: ${token} before anything was opened`);
    return token === "<>" ? null : unescape(token);
  }

  expectEnd(): void {
    if (this.#next < this.#tokens.length) throw new Error("node tree: text behind the end");
  }

  #list(): Tree[] {
    const items: Tree[] = [];
    while (this.#peek() !== ")") items.push(this.value());
    this.#next++;
    return items;
  }

  /** A field has at least one value, so a value may look like a field; further ones belong to a datum, `5 [ 20 0 0 ]`. */
  #node(): TreeNode {
    const tag = this.#take();
    const fields = new Map<string, Tree>();
    while (this.#peek() !== "}") {
      const name = this.#take().slice(1);
      const values = [this.value()];
      while (this.#peek() !== "}" && !this.#peek().startsWith(":")) values.push(this.value());
      fields.set(name, values.length === 1 ? (values[0] ?? null) : values);
    }
    this.#next++;
    return { tag, fields };
  }

  #peek(): string {
    const token = this.#tokens[this.#next];
    if (token === undefined) throw new Error("node tree: ends too early");
    return token;
  }

  #take(): string {
    const token = this.#peek();
    this.#next++;
    return token;
  }
}

function unescape(token: string): string {
  return token.replace(/\\([^])/g, "$1");
}
