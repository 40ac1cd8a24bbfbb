import { createServer, type ListenOptions, type Server } from "node:net";

/** Listens at an address until this process ends. @returns the code of the error when something listens there, or that is not allowed */
export function listen(options: ListenOptions): Promise<Server | string> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", ({ code = "" }: NodeJS.ErrnoException) => resolve(code));
    server.listen(options, () => resolve(server.unref()));
  });
}
