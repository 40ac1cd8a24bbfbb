import { once } from "node:events";
import { connect, type TcpNetConnectOpts } from "node:net";

export const CONNECT_TIMEOUT_MS = 5_000;

/** Opens a TCP connection, and closes it. @throws the error of the system, e.g. with `code` ECONNREFUSED; an AbortError after five seconds */
export async function tryConnection(address: TcpNetConnectOpts): Promise<void> {
  const socket = connect(address);
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
  } finally {
    socket.destroy();
  }
}
