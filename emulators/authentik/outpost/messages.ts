/** Messages between authentik and outposts on the websocket. */
export const INSTRUCTIONS = { acknowledge: 0, hello: 1, triggerUpdate: 2, sessionEnd: 4 } as const;

export type Message = { instruction: number; args: { session_id?: string } };
