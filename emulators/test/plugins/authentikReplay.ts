import { expect } from "vitest";

import type { Values } from "../../plugins/protocol/plugin.ts";
import { CONTEXT, RECORDED, SEQUENCES, bare, opened } from "./authentikServer.ts";
import type { Recorded, Scene } from "./authentikServer.ts";

interface Step {
  readonly what: string;
  readonly create?: Values;
  readonly update?: Values;
  /** The properties that a diff names before the update. */
  readonly changed?: readonly string[];
  readonly refresh?: true;
  readonly destroy?: true;
  /** What the server changed by itself. */
  readonly server?: Values;
  /** The properties that differ after the step too; default none. */
  readonly unsettled?: readonly string[];
}

/** Runs the recorded sequences of one resource, and compares every call with the record. */
export async function lives(
  scene: Scene,
  type: string,
  path: string,
  steps: readonly Step[],
  from = 0,
): Promise<Values> {
  const token = `authentik:index/${type[0]?.toLowerCase()}${type.slice(1)}:${type}`;
  let [id, state, inputs] = ["", {} as Values, {} as Values];
  for (const step of steps) {
    const { calls, next } = recorded(step.what, path, from);
    from = next;
    replay(scene, path, calls, step.server);
    scene.sent = [];
    inputs = step.create ?? step.update ?? inputs;
    if (step.update) {
      const { detailed, replaces } = await scene.plugin.diff(token, id, {}, state, inputs);
      expect({ changed: Object.keys(detailed).sort(), replaces }).toEqual({ changed: step.changed, replaces: [] });
      state = opened(await scene.plugin.update(token, id, state, inputs, CONTEXT));
    } else if (step.create) {
      const created = await scene.plugin.create(token, inputs, CONTEXT);
      [id, state] = [created.id, opened(created.state)];
    } else if (step.refresh) {
      const found = await scene.plugin.read(token, id, inputs, state);
      if (!found) throw new Error("not found");
      [id, state] = [found.id, opened(found.state)];
    } else {
      await scene.plugin.delete(token, id, state, CONTEXT);
    }
    expect(scene.sent, step.what).toEqual(calls.map(bare));
    if (step.destroy) continue;
    const { detailed } = await scene.plugin.diff(token, id, {}, state, inputs);
    expect(Object.keys(detailed), `after ${step.what}`).toEqual(step.unsettled ?? []);
  }
  return { ...state, id };
}

/** The calls of one recorded sequence below a path, without lookups; `from` counts the sequences before it, as names repeat. */
function recorded(what: string, path: string, from = 0): { calls: Recorded[]; next: number } {
  const index = SEQUENCES.findIndex((sequence, position) => position >= from && sequence.what === what);
  if (index < 0) throw new Error(`no sequence "${what}"`);
  const collection = `/api/v3${path}`;
  const isOwn = (call: Recorded): boolean =>
    call.path.startsWith(collection) && !(call.method === "GET" && call.path === collection);
  return { calls: SEQUENCES[index]?.calls.filter(isOwn) ?? [], next: index + 1 };
}

/** Responds as recorded; if the record has no response, with the current state of such an object. */
function replay(scene: Scene, path: string, calls: readonly Recorded[], server: Values = {}): void {
  const pending = [...calls];
  const isLike = ({ path: other, response }: Recorded): boolean =>
    other.startsWith(`/api/v3${path}`) && response?.results === undefined && Boolean(response?.pk ?? response?.domain);
  let known: Values = { ...RECORDED.find(isLike)?.response, ...server };
  scene.answer = (call) => {
    const position = pending.findIndex(
      (one) => one.method === call.method && one.path === call.path && one.query === call.query,
    );
    const [found] = position < 0 ? [] : pending.splice(position, 1);
    if (!found) return { status: 599, body: "{}" };
    if (found.status === 204) return { status: 204, body: "" };
    const [view] = /(view_\w+|default_settings)\/$/.exec(found.path) ?? [];
    const seen = view && RECORDED.find((other) => other.path.endsWith(view) && other.response)?.response;
    if (seen) return { status: 200, body: JSON.stringify(seen) };
    const id = found.method === "POST" ? idOf(pending.find((next) => next.path !== found.path)) : {};
    const fresh = found.response ?? { ...known, ...call.body, ...id, ...server };
    known = { ...known, ...fresh };
    return { status: found.status, body: JSON.stringify(fresh) };
  };
}

/** The id that the record reads next. */
function idOf(next: Recorded | undefined): Values {
  const id = next?.path.split("/").at(-2) ?? "";
  return { pk: /^\d+$/.test(id) ? Number(id) : id };
}
