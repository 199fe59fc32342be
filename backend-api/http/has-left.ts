import type { IncomingMessage } from 'node:http'

/** Whether the client left in the middle of its request: nobody waits for an answer, and nothing is wrong here. */
export function hasLeft(request: IncomingMessage): boolean {
  // Its half of the connection may be over a moment before Node ends the request.
  return !request.complete && (request.destroyed || !request.socket.readable)
}
